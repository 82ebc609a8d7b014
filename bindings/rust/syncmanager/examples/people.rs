//! Who comes to an event, live from a realtime database: one list, the same in sections, and two limited queries as the
//! sections of one list: `people CONFIG_JSON COUNT`. Prints what is shown whenever it changes, until each way shows
//! COUNT people.

use std::error::Error;
use std::time::Duration;

use syncmanager::{Client, Config, DatabaseQuery, EventKind, Row, RowStream, StreamSpec};

const PATIENCE: Duration = Duration::from_secs(30);
const IS_ORGANIZER: &str = r#"{"==":["is_organizer",true]}"#;

/// Without what a terminal obeys (docs/display.md).
fn plain(text: &str) -> String {
    let is_drawn = |letter: &char| match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    };
    text.chars().filter(is_drawn).collect()
}

fn names(rows: &[Row]) -> String {
    let name = |row: &Row| Some(plain(&row.item.get("name")?.as_str()?));
    let names: Vec<String> = rows.iter().map(|row| name(row).unwrap_or_else(|| plain(&row.key))).collect();
    if names.is_empty() {
        "nobody".into()
    } else {
        names.join(", ")
    }
}

fn line(stream: &RowStream, headings: &[&str]) -> String {
    let sections = stream.sections();
    let parts = headings.iter().zip(&sections).map(|(heading, rows)| format!("{heading}: {}", names(rows)));
    parts.collect::<Vec<_>>().join("; ")
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (config, count) = match (arguments.next(), arguments.next()) {
        (Some(config), Some(count)) => (config, count.parse::<usize>()?),
        _ => return Err("usage: people CONFIG_JSON COUNT".into()),
    };
    let client = Client::open(&Config::from_json(config))?;
    let everybody = client.stream(&StreamSpec::database("people", None).order_by("name"))?;
    // Organizers and participants of the same list.
    let titles = ["organizers", "participants"];
    let rule = format!("[{IS_ORGANIZER},true]");
    let roles = client.stream(&StreamSpec::partition(everybody.number(), &titles, &rule))?;
    // A list of hundreds is better asked for in parts: each section has a query and a limit of its own.
    let by_role = || DatabaseQuery::new().order_by("is_organizer");
    let part = |query: DatabaseQuery, section: u32| {
        client.stream(&StreamSpec::database("people", Some(&query)).limit(100).section(section))
    };
    let first = part(by_role().start_at("true"), 0)?;
    let second = part(by_role().end_at("false"), 1)?;

    let shown: [(&RowStream, &[&str]); 4] =
        [(&everybody, &["everybody"]), (&roles, &titles), (&first, &["section 0"]), (&second, &["section 1"])];
    while [everybody.len(), roles.len(), first.len() + second.len()] != [count; 3] {
        // Four streams share the client's queue; of a single one, `RowStream::batches` is the iterator.
        match client.next_event(PATIENCE)?.ok_or("nobody came for half a minute")?.kind {
            EventKind::StreamBatch(batch) => {
                for (stream, headings) in shown.iter().filter(|(stream, _)| stream.number() == batch.collection) {
                    println!("{}", line(stream, headings));
                }
            }
            EventKind::StreamLoaded { status, message, .. } if status != 0 => {
                return Err(message.unwrap_or_else(|| format!("a list cannot be loaded: {status}")).into());
            }
            _ => {}
        }
    }
    Ok(())
}
