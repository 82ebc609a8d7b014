//! Groups and their messages in a realtime database: groups CONFIG_JSON
use std::error::Error;
use syncmanager::{Action, Client, Config, EventKind};

/// Without what a terminal obeys (docs/display.md).
fn plain(text: &str) -> String {
    let is_drawn = |letter: &char| match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    };
    text.chars().filter(is_drawn).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let config = std::env::args().nth(1).ok_or("usage: groups CONFIG_JSON")?;
    let client = Client::open(&Config::from_json(config))?;
    let counters = r#"[{"name":"message_count","counting":"Message"}]"#;
    client.register_resource("Group", "/group/@", counters, &[] as &[&str]).wait(None)?;
    client.register_resource("Message", "/group_message/$group/@", "[]", &["will_create"]).wait(None)?;

    let root = client.resource_context("root");
    root.open("{}").wait(None)?;
    root.create("Group", Some("hikers"), r#"{"name":"Hikers"}"#).wait(None)?;

    let group = root.child("group");
    group.open(r#"{"group":{"key":"hikers","type":"Group"}}"#).wait(None)?;
    let writing = group.create("Message", Some("m"), r#"{"text":"where to?"}"#).start()?;
    while let Some(event) = client.next_event(None)? {
        match event.kind {
            // The hook: nothing is written before it is answered.
            EventKind::Resource(event) => {
                client.continue_resource(event.hook.ok_or("no hook")?, Some(r#"{"text":"to the lake!"}"#)).start()?;
            }
            EventKind::Result(outcome) if outcome.request() == writing => break,
            _ => {}
        }
    }

    let stored = client.call(&Action::new("database_get").text("path", "/")).wait(None)?;
    println!("{}", stored.result().map_or_else(String::new, |value| plain(value.as_text())));
    Ok(())
}
