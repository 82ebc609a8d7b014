//! A long chat, newest message first: it is loaded a page at a time, and a row of the program's own behind the last one
//! asks for the next page. Here that row is tapped as soon as it is shown: `long_chat CONFIG_JSON`.

use std::error::Error;
use std::time::Duration;

use syncmanager::{Client, Config, EventKind, Row, RowStream, StreamRequest, StreamSpec};

const PAGE: u32 = 3;
const PATIENCE: Duration = Duration::from_secs(30);

/// Without what a terminal obeys (docs/display.md).
fn plain(text: &str) -> String {
    let is_drawn = |letter: &char| match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    };
    text.chars().filter(is_drawn).collect()
}

fn show(stream: &RowStream) {
    let text = |row: &Row| Some(plain(&row.item.get("text")?.as_str()?));
    let texts: Vec<String> = stream.rows().iter().map(|row| text(row).unwrap_or_default()).collect();
    println!("{}", texts.join(" | "));
}

fn main() -> Result<(), Box<dyn Error>> {
    let config = std::env::args().nth(1).ok_or("usage: long_chat CONFIG_JSON")?;
    let client = Client::open(&Config::from_json(config))?;
    let messages = StreamSpec::database("messages", None).order_by("$key").descending(true).limit(PAGE);
    let chat = client.stream(&messages)?;
    let own = client.stream(&StreamSpec::transient())?;
    // The order is the chat's, and so a row's key says where it stands.
    let shown = client.stream(&StreamSpec::union(&[chat.number(), own.number()]).at_once())?;

    loop {
        match client.next_event(PATIENCE)?.ok_or("nothing came for half a minute")?.kind {
            EventKind::StreamLoaded { collection, status, message } if collection == shown.number() => match status {
                0 => break,
                _ => return Err(message.unwrap_or_else(|| format!("the chat cannot be loaded: {status}")).into()),
            },
            _ => {}
        }
    }
    let mut has_more = chat.len() == PAGE as usize;
    while has_more {
        // A key that is the start of another one comes before it: here behind it.
        let mut tap = chat.rows().pop().ok_or("an empty page")?.key;
        tap.pop();
        own.call(&StreamRequest::add(&tap, r#"{"text":"fetch more"}"#)).wait(PATIENCE)?;
        show(&shown);
        let page = chat.call(&StreamRequest::fetch_more(Some(PAGE))).wait(PATIENCE)?.result().ok_or("no result")?;
        if let Some(short) = page.get("short").as_ref().and_then(|short| short.as_str()) {
            return Err(format!("fetch_more: {short}").into());
        }
        has_more = page.get("has_more").and_then(|more| more.as_bool()).ok_or("no has_more")?;
        own.call(&StreamRequest::remove(&[tap])).wait(PATIENCE)?;
        while client.next_event(Duration::ZERO)?.is_some() {} // what `wait` kept: the lists have it already
    }
    show(&shown);
    Ok(())
}
