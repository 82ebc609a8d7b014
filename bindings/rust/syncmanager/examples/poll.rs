//! Asks a channel something, gives the first answer, and shows how many chose what:
//! `poll CONFIG_JSON CHANNEL_URL TITLE OPTION...`.

use std::error::Error;
use std::time::Duration;

use syncmanager::{Action, Client, Config, Draft, Viewpoint};

const PATIENCE: Duration = Duration::from_secs(60);

/// Without what a terminal obeys (docs/display.md).
fn plain(text: &str) -> String {
    let is_drawn = |letter: &char| match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    };
    text.chars().filter(is_drawn).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (config, channel_url, title, options) = match arguments.as_slice() {
        [config, channel_url, title, options @ ..] if options.len() > 1 => (config, channel_url, title, options),
        _ => return Err("usage: poll CONFIG_JSON CHANNEL_URL TITLE OPTION OPTION...".into()),
    };
    let client = Client::open(&Config::from_json(config.clone()))?;
    client.connect().wait(PATIENCE)?;
    let chat = client.messages(channel_url, Viewpoint::Latest, None)?;
    chat.fetch_previous().wait(PATIENCE)?;

    let made = client.call(&Action::create_poll(title, options)).wait(PATIENCE)?;
    let poll = made.json().get("result").ok_or("no poll")?;
    let id = poll.get("id").and_then(|id| id.as_i64()).ok_or("a poll without an id")?;
    let first = poll.get("options").and_then(|all| all.elements().next()?.get("id")).ok_or("no option")?;
    let sent = chat.send(&Draft::new(title).poll(id)).wait(PATIENCE)?.message().ok_or("no message")?;
    let chosen = format!("[{}]", first.as_text());
    client.call(&Action::vote_poll(channel_url, sent.id(), id, &chosen)).wait(PATIENCE)?;

    let shown = chat.items().into_iter().find(|message| message.id() == sent.id()).ok_or("it is not shown")?;
    let poll = shown.json().get("poll").ok_or("the message has no poll")?;
    let own: Vec<String> = match poll.get("voted_option_ids") {
        Some(ids) => ids.elements().map(|id| id.as_text().to_owned()).collect(),
        None => Vec::new(),
    };
    for option in poll.get("options").iter().flat_map(|all| all.elements().collect::<Vec<_>>()) {
        let number = |key: &str| option.get(key).map(|value| value.as_text().to_owned()).unwrap_or_default();
        let text = option.get("text").and_then(|text| Some(plain(&text.as_str()?))).unwrap_or_default();
        println!("{} {} {text}", if own.contains(&number("id")) { '*' } else { ' ' }, number("vote_count"));
    }
    Ok(())
}
