//! Sends a file into a channel, with a bar that shows how far it is, and receives it again:
//! `send_file CONFIG_JSON CHANNEL_URL PATH TARGET`. PATH is absolute.

use std::error::Error;
use std::io::{stdout, Write};
use std::time::Duration;

use syncmanager::{Action, Client, Config, Draft, EventKind, Outcome, OutgoingFile, Viewpoint};

const PATIENCE: Duration = Duration::from_secs(60);

/// Without what a terminal obeys (docs/display.md).
fn plain(text: &str) -> String {
    let is_drawn = |letter: &char| match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    };
    text.chars().filter(is_drawn).collect()
}

fn bar(what: &str, done: u64, total: u64) -> std::io::Result<()> {
    let share = |whole: u64| done * whole / total.max(1);
    print!("\r{what} [{:.<20}] {:3} %", "#".repeat(share(20) as usize), share(100));
    stdout().flush()
}

/// Shows the progress until the call with this number is complete.
fn watch(client: &Client, request: u64) -> Result<Outcome, Box<dyn Error>> {
    loop {
        match client.next_event(PATIENCE)?.ok_or("nothing came for a minute")?.kind {
            EventKind::UploadProgress { sent, total, .. } => bar("sending", sent, total)?,
            // The server may not say how much it is.
            EventKind::DownloadProgress { received, total: Some(total), .. } => bar("receiving", received, total)?,
            EventKind::Result(outcome) if outcome.request() == request => return Ok(outcome.ok()?),
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (config, channel_url, path, target) = match arguments.as_slice() {
        [config, channel_url, path, target] => (config, channel_url, path, target),
        _ => return Err("usage: send_file CONFIG_JSON CHANNEL_URL PATH TARGET".into()),
    };
    let client = Client::open(&Config::from_json(config.clone()))?;
    client.connect().start()?;
    let chat = client.messages(channel_url, Viewpoint::Latest, None)?;

    let sending = chat.send(&Draft::of_file(&OutgoingFile::path(path))).start()?;
    let outcome = watch(&client, sending)?;
    let file = outcome.json().get("message").and_then(|message| message.get("file")).ok_or("no file")?;
    let text = |key: &str| file.get(key).and_then(|value| Some(value.as_str()?.into_owned())).unwrap_or_default();
    println!("\nsent: {}", plain(&text("name")));

    let receiving = client.call(&Action::download_file(&text("url"), target)).start()?;
    watch(&client, receiving)?;
    println!("\nreceived: {target}");
    Ok(())
}
