use std::time::Duration;
use syncmanager::{ChannelQuery, Client, Config, EventKind};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = std::env::args().nth(1).ok_or("usage: list CONFIG_JSON")?;
    let client = Client::open(&Config::from_json(config))?;
    let channels = client.channels(&ChannelQuery::new().limit(20))?;
    client.connect().start()?; // not waited for: the cache is shown without a service, too
    channels.fetch_next().wait(None)?;
    for channel in channels.items() {
        println!("{:?} ({} unread)", channel.name(), channel.unread_message_count());
    }
    while let Some(event) = client.next_event(Duration::from_secs(5))? {
        if let EventKind::Change(change) = event.kind {
            println!("{:?}, now {} channels", change.source, channels.len()); // the list has it already
        }
    }
    Ok(())
}
