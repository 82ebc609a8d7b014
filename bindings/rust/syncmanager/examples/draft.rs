//! Keeps what the user writes, shows what was kept by an earlier run, and sends it: `draft CONFIG_JSON CHANNEL_URL`
//! shows the draft; with a text it becomes the draft; with `--send` the draft is sent.

use std::error::Error;
use std::time::Duration;

use syncmanager::{Action, ChannelCollection, Client, Config, Draft, Viewpoint};

const PATIENCE: Duration = Duration::from_secs(60);

/// Without what a terminal obeys (docs/display.md).
fn plain(text: &str) -> String {
    let is_drawn = |letter: &char| match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    };
    text.chars().filter(is_drawn).collect()
}

/// What the user has written in a channel and not sent.
fn draft(channels: &ChannelCollection, channel_url: &str) -> Option<String> {
    let channel = channels.items().into_iter().find(|channel| channel.url() == channel_url)?;
    Some(channel.json().get("draft")?.get("message")?.as_str()?.into_owned())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (config, channel_url, text) = match arguments.as_slice() {
        [config, channel_url, text @ ..] if text.len() < 2 => (config, channel_url, text.first()),
        _ => return Err("usage: draft CONFIG_JSON CHANNEL_URL [TEXT | --send]".into()),
    };
    let client = Client::open(&Config::from_json(config.clone()))?;
    client.connect().start()?; // drafts need no connection; the channel has to be cached
    let channels = client.channels(None)?;
    channels.fetch_next().wait(PATIENCE)?;
    match text.map(String::as_str) {
        // That it is sent is the draft's end.
        Some("--send") => {
            let written = draft(&channels, channel_url).ok_or("there is no draft")?;
            let chat = client.messages(channel_url, Viewpoint::Latest, None)?;
            chat.send(&Draft::new(&written)).wait(PATIENCE)?;
        }
        // As often as the user types.
        Some(text) => drop(client.call(&Action::set_draft(channel_url).message(text)).wait(PATIENCE)?),
        None => {}
    }
    println!("draft: {}", plain(&draft(&channels, channel_url).unwrap_or_default()));
    Ok(())
}
