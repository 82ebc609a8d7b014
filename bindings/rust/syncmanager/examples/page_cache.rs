//! Pages through the cache of a channel, from the newest message to the oldest, offline, and tells how fast the live
//! list grew: `page_cache CONFIG_JSON CHANNEL_URL`.

use std::time::Instant;

use syncmanager::{Client, Config, MessageFilter, Viewpoint};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (config, channel_url) = match (arguments.next(), arguments.next()) {
        (Some(config), Some(channel_url)) => (config, channel_url),
        _ => return Err("usage: page_cache CONFIG_JSON CHANNEL_URL".into()),
    };
    let client = Client::open(&Config::from_json(config))?;
    let filter = MessageFilter::new().limit(200);
    let messages = client.messages(&channel_url, Viewpoint::Latest, &filter)?;
    let start = Instant::now();
    loop {
        let page = messages.fetch_previous().wait(None)?;
        while client.next_event(std::time::Duration::ZERO)?.is_some() {} // what `wait` kept is of no use here
        if !page.has_more() || page.short().is_some() {
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let oldest = messages.get(0).map(|message| message.text()).unwrap_or_default();
    println!("{} messages, {:.0} a second; the oldest: {oldest:?}", messages.len(), messages.len() as f64 / seconds);
    Ok(())
}
