//! The live lists of one collection.

use std::collections::VecDeque;
use std::fmt::Write as _;

use crate::change::{Change, List};
use crate::document::quoted;
use crate::error::Result;
use crate::event::Event;
use crate::item::SearchResult;
use crate::json::Json;
use crate::kept::Restart;
use crate::sections::Sections;

/// What a collection shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    Channels,
    Messages,
    Results,
    Rows,
}

/// The lists of one collection, as its changes made them.
pub(crate) struct Lists {
    shows: Shows,
    pub(crate) shown: VecDeque<Json>,
    pub(crate) pending: VecDeque<Json>,
    pub(crate) failed: VecDeque<Json>,
    /// Of a stream: its sections.
    pub(crate) rows: Sections,
}

impl Lists {
    pub(crate) fn new(shows: Shows) -> Lists {
        let (shown, pending, failed) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Lists { shows, shown, pending, failed, rows: Sections::default() }
    }

    pub(crate) fn apply(&mut self, change: &mut Change) -> Result<()> {
        change.apply_live(match change.list {
            List::Channels | List::Succeeded | List::Results => &mut self.shown,
            List::Pending => &mut self.pending,
            List::Failed => &mut self.failed,
        })
    }

    /// The events by which a follower of the lists starts over: `overflow` and the full lists, as the library tells
    /// them.
    pub(crate) fn restart(&self, restart: &Restart) -> Vec<Event> {
        let Restart { collection, dropped, seq, ts } = restart;
        let head = format!(r#""seq":{seq},"ts":{ts},"collection":{collection}"#);
        let mut events = vec![format!(r#"{{"type":"overflow",{head},"dropped":{dropped}}}"#)];
        if self.shows == Shows::Rows {
            let rows = self.rows.rows().map(|((section, row), item)| {
                format!(r#"{{"path":[{section},{row}],"key":{},"item":{}}}"#, quoted(&item.key), item.item)
            });
            let added = rows.collect::<Vec<_>>().join(",");
            let rest = r#""deleted":[],"moved":[],"changed":[]"#;
            events.push(format!(r#"{{"type":"stream_batch",{head},"reset":true,"added":[{added}],{rest}}}"#));
        }
        for (list, id, items) in self.named() {
            let head = format!(r#""type":"change",{head},"list":"{list}","source":"overflow","from_event":false"#);
            events.push(format!(r#"{{{head},"action":"clear","changes":[]}}"#));
            if !items.is_empty() {
                let kind = match self.shows {
                    Shows::Channels => "channels",
                    Shows::Results => "results",
                    Shows::Messages | Shows::Rows => "messages",
                };
                let (changes, items) = places(id, items);
                events.push(format!(r#"{{{head},"action":"insert","changes":[{changes}],"{kind}":[{items}]}}"#));
            }
        }
        events.iter().map(|text| Event::read(text)).collect()
    }

    /// The lists by their names in events, with what names an item there.
    fn named(&self) -> Vec<(&str, Naming, &VecDeque<Json>)> {
        match self.shows {
            Shows::Channels => vec![("channels", |item| text(item, "channel_url"), &self.shown)],
            Shows::Messages => vec![
                ("succeeded", |item| text(item, "message_id"), &self.shown),
                ("pending", |item| text(item, "request_id"), &self.pending),
                ("failed", |item| text(item, "request_id"), &self.failed),
            ],
            Shows::Results => vec![("results", |item| SearchResult::from(item.clone()).id(), &self.shown)],
            Shows::Rows => Vec::new(),
        }
    }
}

/// What names an item in changes.
type Naming = fn(&Json) -> String;

/// A text, or a number as one.
fn text(item: &Json, key: &str) -> String {
    item.get(key).map_or_else(String::new, |value| match value.as_str() {
        Some(text) => text.into_owned(),
        None => value.to_string(),
    })
}

/// The changes that insert all of a list, and its items.
fn places(id: Naming, items: &VecDeque<Json>) -> (String, String) {
    let (mut changes, mut texts) = (String::new(), String::new());
    for (index, item) in items.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        // Writing to a String cannot fail.
        let _ = write!(changes, r#"{comma}{{"index":{index},"id":{}}}"#, quoted(&id(item)));
        let _ = write!(texts, "{comma}{item}");
    }
    (changes, texts)
}
