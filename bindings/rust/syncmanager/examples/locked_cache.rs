//! Shows the newest message of a channel out of a cache that only a passphrase opens:
//! `locked_cache CONFIG_JSON CHANNEL_URL [--change]` asks for it; with `--change` also for another one, which it has
//! from then on (docs/encryption.md).

use std::error::Error;
use std::io::{stdin, stdout, Write};
use std::mem::MaybeUninit;
use std::time::Duration;

use syncmanager::{Action, Client, Config, ErrorKind, Viewpoint};

const PATIENCE: Duration = Duration::from_secs(60);

/// Without what a terminal obeys (docs/display.md).
fn plain(text: &str) -> String {
    let is_drawn = |letter: &char| match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    };
    text.chars().filter(is_drawn).collect()
}

/// Whether the terminal shows what is typed. Without a terminal nothing happens. A signal handler may call it.
fn echo(is_shown: bool) {
    let mut terminal = MaybeUninit::<libc::termios>::uninit();
    // SAFETY: tcgetattr() fills it when it gives 0, and only then it is read.
    unsafe {
        if libc::tcgetattr(0, terminal.as_mut_ptr()) == 0 {
            let mut terminal = terminal.assume_init();
            terminal.c_lflag = if is_shown { terminal.c_lflag | libc::ECHO } else { terminal.c_lflag & !libc::ECHO };
            libc::tcsetattr(0, libc::TCSAFLUSH, &terminal);
        }
    }
}

/// What ends a program from its terminal.
const ENDING: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// A signal ends the program as it does without this; but the terminal would stay as it is, in the user's shell too.
extern "C" fn on_end(signal: libc::c_int) {
    echo(true);
    // SAFETY: both may be called by a handler; the signal comes when this returns.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// What each of those signals does from now on; gives what it did before. One that is ignored stays so.
fn handle(handlers: [libc::sighandler_t; 4]) -> [libc::sighandler_t; 4] {
    let mut before = handlers;
    for (index, signal) in ENDING.into_iter().enumerate() {
        // SAFETY: a handler is `on_end`, or what was one before.
        unsafe {
            before[index] = libc::signal(signal, handlers[index]);
            if before[index] == libc::SIG_IGN {
                libc::signal(signal, libc::SIG_IGN);
            }
        }
    }
    before
}

/// What the user answers.
fn ask(question: &str) -> Result<String, Box<dyn Error>> {
    print!("{question}");
    stdout().flush()?;
    let mut answer = String::new();
    let length = stdin().read_line(&mut answer);
    println!();
    match length? {
        0 => Err("there is no answer".into()),
        _ => Ok(answer.trim_end_matches('\n').to_owned()),
    }
}

/// The same; what is typed is not shown.
fn ask_secret(question: &str) -> Result<String, Box<dyn Error>> {
    let before = handle([on_end as extern "C" fn(libc::c_int) as libc::sighandler_t; 4]);
    echo(false);
    let answer = ask(question);
    echo(true);
    handle(before);
    answer
}

/// Nothing can encrypt here. Never goes on without asking: whoever gave a passphrase relies on it.
fn go_on_without(error: &syncmanager::Error) -> Result<(), Box<dyn Error>> {
    println!("{}", plain(error.message())); // what is missing
    match ask("go on without encryption (yes or no)? ")?.as_str() {
        "yes" => Ok(()),
        _ => Err("nothing was opened".into()),
    }
}

/// Asks until the cache is open.
fn unlock(config: &str) -> Result<Client, Box<dyn Error>> {
    let config = Config::from_json(config);
    loop {
        let passphrase = ask_secret("passphrase: ")?;
        match Client::open(&config.clone().encryption_passphrase(&passphrase)) {
            Err(error) if error.kind() == ErrorKind::NoEncryption => {
                go_on_without(&error)?;
                return Ok(Client::open(&config)?);
            }
            Err(error) if error.kind() == ErrorKind::WrongKey => {}
            opened => return Ok(opened?),
        }
        // The same error when the files are not encrypted at all: then they can be opened without a passphrase.
        let client = match Client::open(&config) {
            Err(error) if error.kind() == ErrorKind::WrongKey => {
                println!("this passphrase does not open it");
                continue;
            }
            opened => opened?,
        };
        match client.call(&Action::encrypt().encryption_passphrase(&passphrase)).wait(PATIENCE) {
            Ok(_) => println!("the files are encrypted now"),
            Err(error) if error.kind() == ErrorKind::NoEncryption => go_on_without(&error)?,
            Err(error) => return Err(error.into()),
        }
        return Ok(client);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (config, channel_url, is_change) = match arguments.as_slice() {
        [config, channel_url] => (config, channel_url, false),
        [config, channel_url, option] if option == "--change" => (config, channel_url, true),
        _ => return Err("usage: locked_cache CONFIG_JSON CHANNEL_URL [--change]".into()),
    };
    let client = unlock(config)?;
    client.connect().start()?;
    let chat = client.messages(channel_url, Viewpoint::Latest, None)?;
    chat.fetch_previous().wait(PATIENCE)?;
    let newest = chat.items().last().map(|message| message.text()).unwrap_or_default();
    println!("newest: {}", plain(&newest));
    if is_change {
        let another = ask_secret("new passphrase: ")?;
        client.call(&Action::rekey().encryption_passphrase(&another)).wait(PATIENCE)?;
        println!("the old passphrase opens nothing any more");
    }
    Ok(())
}
