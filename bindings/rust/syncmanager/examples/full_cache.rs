//! Reads all channels of a user into a cache that holds 64 MiB, and says which of them make room:
//! `full_cache CONFIG_JSON [PINNED_CHANNEL_URL...]`.
//!
//! The pinned channels keep their messages as long as there are others (docs/cache.md).

use std::error::Error;
use std::time::Duration;

use syncmanager::{Action, CacheOrder, Call, Client, Config, ErrorKind, EventKind, Outcome, SyncState, Viewpoint};

const PATIENCE: Duration = Duration::from_secs(60);

/// Without what a terminal obeys (docs/display.md).
fn plain(text: &str) -> String {
    let is_drawn = |letter: &char| match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    };
    text.chars().filter(is_drawn).collect()
}

struct Reader<'a> {
    client: &'a Client,
    pinned: &'a [String],
    /// Background work, of which making room is a part.
    is_running: bool,
    /// The number of the answer to the last question.
    evicting: Option<u64>,
}

impl Reader<'_> {
    /// One event; the end of a call, if it is one.
    fn take_event(&mut self) -> Result<Option<Outcome>, Box<dyn Error>> {
        match self.client.next_event(PATIENCE)?.ok_or("nothing came for a minute")?.kind {
            EventKind::SyncState(state) => self.is_running = state == SyncState::Running,
            EventKind::CacheTrimmed { channel_url, messages, .. } => {
                println!("trimmed: {}, {messages} messages", plain(&channel_url));
            }
            EventKind::CacheFull { candidates, .. } => {
                let shown: Vec<String> = candidates
                    .iter()
                    .map(|it| format!("{} ({} messages)", plain(&it.channel_url), it.messages))
                    .collect();
                println!("full: {}", shown.join(" "));
                let urls = candidates.into_iter().map(|it| it.channel_url);
                let chosen: Vec<String> = urls.filter(|url| !self.pinned.contains(url)).collect();
                println!("evict: {}", chosen.iter().map(|url| plain(url)).collect::<Vec<_>>().join(" "));
                // In this order, until there is room. If that is not enough, or the list is empty, it goes on by last
                // use.
                self.evicting = Some(self.client.call(&Action::evict(&chosen)).start()?);
            }
            EventKind::Result(outcome) if Some(outcome.request()) == self.evicting => match outcome.error() {
                // After five seconds those used longest ago make room.
                Some(error) if error.kind() == ErrorKind::NotFound => println!("evict: too late"),
                Some(error) => return Err(error.into()),
                None => {}
            },
            EventKind::Result(outcome) => return Ok(Some(outcome)),
            _ => {}
        }
        Ok(None)
    }

    /// Makes a call and takes events until it is complete.
    fn wait(&mut self, call: Call) -> Result<Outcome, Box<dyn Error>> {
        let request = call.start()?;
        loop {
            match self.take_event()? {
                Some(outcome) if outcome.request() == request => return Ok(outcome.ok()?),
                _ => {}
            }
        }
    }

    /// Reads a channel from its newest message to its first. While it is open nothing of it leaves the cache.
    fn read(&mut self, channel_url: &str) -> Result<(), Box<dyn Error>> {
        let chat = self.client.messages(channel_url, Viewpoint::Latest, None)?;
        while {
            let page = self.wait(chat.fetch_previous())?;
            if let Some(short) = page.short() {
                return Err(format!("fetch: {short}").into()); // "offline": the rest cannot be had now
            }
            page.has_more()
        } {}
        println!("read: {}", plain(channel_url));
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (config, pinned) = arguments.split_first().ok_or("usage: full_cache CONFIG_JSON [PINNED_CHANNEL_URL...]")?;
    let config = Config::from_json(config.clone()).max_cache_mb(64).cache_order(CacheOrder::Host);
    let client = Client::open(&config)?;
    let mut reader = Reader { client: &client, pinned, is_running: false, evicting: None };
    reader.wait(client.connect())?;
    let channels = client.channels(None)?;
    while reader.wait(channels.fetch_next())?.has_more() {}
    for channel in channels.items() {
        reader.read(&channel.url())?;
    }
    reader.wait(client.call(&Action::statistics()))?;
    // While room is being made: the numbers of afterwards.
    while reader.is_running {
        reader.take_event()?;
    }
    let numbers = reader.wait(client.call(&Action::statistics()))?.result().ok_or("no statistics")?;
    let number = |key| numbers.get(key).and_then(|value| value.as_u64()).unwrap_or_default();
    let (used, limit) = (number("cache_used_bytes") >> 20, number("cache_limit_bytes") >> 20);
    println!("cached: {} messages, {used} of {limit} MiB", number("cached_messages"));
    Ok(())
}
