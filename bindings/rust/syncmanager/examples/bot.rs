//! A bot that answers each message of others once, also over restarts and kills: `bot CONFIG_JSON USER_ID`.
//! docs/rust.md explains it.

use std::error::Error;
use std::thread;
use std::time::Duration;

use syncmanager::{
    Action, Client, Config, Draft, ErrorKind, Event, EventKind, Message, MessageFilter, Notify, Result, Viewpoint,
};

/// How long it waits for a page, and for an answer to be sent.
const PATIENCE: Duration = Duration::from_secs(60);
/// Seconds between the attempts to look for an answer, while the service cannot be reached or is busy.
const PAUSES: [u64; 4] = [2, 10, 60, 300];

fn answer(client: &Client, me: &str, channel_url: &str, message: &Message) -> Result<()> {
    let mine = client.messages(channel_url, Viewpoint::Latest, &MessageFilter::new().sender_ids(&[me]))?;
    mine.fetch_previous().wait(PATIENCE)?;
    let mark = format!("answers {}", message.id_text());
    if [mine.items(), mine.pending(), mine.failed()].concat().iter().any(|own| own.data() == mark) {
        return Ok(());
    }
    let text = format!("You said: {}", message.text());
    // From here on the library has the answer on the disk, and repeats what a retry can cure. What is refused for
    // good is given up, and what still waits after this time is sent later.
    if let Err(error) = mine.send(&Draft::new(&text).data(&mark).request_id(&mark)).wait(PATIENCE) {
        eprintln!("an answer failed, or waits: {error}");
    }
    Ok(())
}

/// What the bot does with an event of its client.
pub fn handle(client: &Client, me: &str, event: Event) -> Result<()> {
    if let EventKind::MessageReceived { id, channel_url, message, .. } = event.kind {
        for pause in PAUSES {
            match answer(client, me, &channel_url, &message) {
                Err(error) if error.kind() != ErrorKind::NotFound => eprintln!("tried again in {pause} s: {error}"),
                _ => break, // it is done, or the channel is gone
            }
            thread::sleep(Duration::from_secs(pause));
        }
        client.call(&Action::acknowledge(id)).wait(PATIENCE)?;
    }
    Ok(())
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (config, me) = match (arguments.next(), arguments.next()) {
        (Some(config), Some(me)) => (config, me),
        _ => return Err("usage: bot CONFIG_JSON USER_ID".into()),
    };
    let client = Client::open(&Config::from_json(config).notify(Notify::All))?;
    client.connect().start()?;
    while let Some(event) = client.next_event(None)? {
        if let EventKind::TokenNeeded { message, .. } = &event.kind {
            return Err(message.as_str().into());
        }
        handle(&client, &me, event)?;
    }
    Ok(())
}
