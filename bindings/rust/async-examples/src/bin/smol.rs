//! On smol: `smol CONFIG_JSON CHANNEL_URL TEXT` shows a channel and sends a message, with a deadline of its own.

use std::error::Error;
use std::future::Future;
use std::time::Duration;

use futures_lite::FutureExt;
use syncmanager::{Client, Config, Draft, Viewpoint};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// What `wait` gives with a timeout: the call goes on when the time is over.
async fn within<T, E>(seconds: u64, work: impl Future<Output = Result<T, E>>) -> Outcome<T>
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    let late = async {
        smol::Timer::after(Duration::from_secs(seconds)).await;
        Err("it takes too long".into())
    };
    async { work.await.map_err(Into::into) }.or(late).await
}

async fn chat(config: String, channel_url: String, text: String) -> Outcome<()> {
    let client = Client::open(&Config::from_json(config))?;
    within(30, client.connect().future()?).await?;
    let messages = client.messages(&channel_url, Viewpoint::Latest, None)?;
    // Two calls at the same time.
    let page = messages.fetch_previous().future()?;
    let sent = messages.send(&Draft::new(&text)).future()?;
    within(30, page).await?;
    for message in messages.items() {
        println!("{:?}: {:?}", message.sender_id().unwrap_or_default(), message.text());
    }
    let sent = within(30, sent).await?;
    println!("sent: {:?}", sent.message().map(|message| message.text()).unwrap_or_default());
    Ok(())
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next(), arguments.next(), arguments.next()) {
        (Some(config), Some(channel_url), Some(text)) => smol::block_on(smol::spawn(chat(config, channel_url, text))),
        _ => Err("usage: smol CONFIG_JSON CHANNEL_URL TEXT".into()),
    }
}
