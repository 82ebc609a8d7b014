//! Searches while the user types: `search_typed CONFIG_JSON CHANNEL_URL` reads lines, each what is typed so far.
//!
//! Messages of the channel are brought into the cache, and all that is cached is searched (docs/search.md).

use std::error::Error;
use std::io::stdin;
use std::sync::mpsc::{channel, TryRecvError};
use std::sync::Arc;
use std::thread;

use syncmanager::{Client, Config, EventKind, SearchCollection, SearchQuery, Viewpoint};

/// Without what a terminal obeys (docs/display.md).
fn plain(text: &str) -> String {
    let is_drawn = |letter: &char| match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    };
    text.chars().filter(is_drawn).collect()
}

/// What is searched for. Dropping it ends the search, and nothing more is told of it.
struct Search {
    typed: String,
    results: SearchCollection,
    /// The number of the call that brings the first page; none when it is there.
    fetching: Option<u64>,
    /// Not all that is cached is indexed yet.
    is_short: bool,
}

impl Search {
    fn begin(client: &Client, typed: String) -> syncmanager::Result<Search> {
        // The last word may go on: `prefix` is true by default.
        let results = client.search(&SearchQuery::new(&typed))?;
        let fetching = Some(results.fetch_next().start()?);
        Ok(Search { typed, results, fetching, is_short: false })
    }

    /// `see you at [lunch] [tomorrow]` for each result: what was found stands in brackets.
    fn show(&self) {
        let items = self.results.items();
        let more = if self.is_short { ", an older cache is being indexed" } else { "" };
        println!("{}: {} found{more}", plain(&self.typed), items.len());
        for result in items {
            let mut text = result.snippet();
            // From the end on, so that the places before it stay right.
            for found in result.matches().into_iter().rev() {
                text.insert(found.end, ']');
                text.insert(found.start, '[');
            }
            println!("  {}", plain(&text));
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (config, channel_url) = match arguments.as_slice() {
        [config, channel_url] => (config, channel_url),
        _ => return Err("usage: search_typed CONFIG_JSON CHANNEL_URL".into()),
    };
    let client = Arc::new(Client::open(&Config::from_json(config.clone()).search(true))?);
    client.connect().start()?; // what is cached is found without a connection
    let chat = client.messages(channel_url, Viewpoint::Latest, None)?;
    let loading = chat.fetch_previous().start()?;

    // A thread waits for lines; for each it ends the wait for events below.
    let (sender, lines) = channel();
    let waked = client.clone();
    thread::spawn(move || {
        for line in stdin().lines() {
            if sender.send(line).is_err() || waked.interrupt().is_err() {
                return;
            }
        }
        drop(sender);
        let _ = waked.interrupt(); // if the client is closed, nobody waits
    });

    let mut search: Option<Search> = None;
    loop {
        match lines.try_recv() {
            Ok(line) => {
                drop(search.take());
                search = Some(Search::begin(&client, line?)?);
            }
            // At the end of the input the last search is still shown.
            Err(TryRecvError::Disconnected) if search.as_ref().map_or(true, |it| it.fetching.is_none()) => break,
            Err(_) => {}
        }
        let event = match client.next_event(None)? {
            Some(event) => event,
            None => continue, // a line
        };
        match (event.kind, &mut search) {
            // That the channel cannot be loaded is an error; that the connection is not made yet is none.
            (EventKind::Result(outcome), _) if outcome.request() == loading => drop(outcome.ok()?),
            (EventKind::Result(outcome), Some(search)) if Some(outcome.request()) == search.fetching => {
                let page = outcome.ok()?;
                search.fetching = None;
                search.is_short = page.short().as_deref() == Some("indexing");
                search.show();
            }
            // A message came, was edited, or was deleted. A page is shown once, when all of it is there.
            (EventKind::Change(_), Some(search))
                if event.collection == Some(search.results.number()) && search.fetching.is_none() =>
            {
                search.show();
            }
            // When an older cache has been indexed, there may be more.
            (EventKind::SearchProgress { complete: true, .. }, Some(search))
                if search.is_short && search.fetching.is_none() =>
            {
                search.fetching = Some(search.results.fetch_next().start()?);
            }
            _ => {}
        }
    }
    Ok(())
}
