//! On tokio: `tokio CONFIG_JSON CHANNEL_URL TEXT` shows a channel, sends a message, and prints what is told meanwhile.
//! The calls' futures need no reactor of their own, so any flavour of the runtime will do.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use syncmanager::{Action, Client, Config, Draft, EventKind, EventStream, Viewpoint};

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

async fn chat(client: Arc<Client>, channel_url: String, text: String) -> Outcome {
    tokio::time::timeout(Duration::from_secs(30), client.connect().future()?).await??;
    let messages = client.messages(&channel_url, Viewpoint::Latest, None)?;
    messages.fetch_previous().future()?.await?;
    for message in messages.items() {
        println!("{:?}: {:?}", message.sender_id().unwrap_or_default(), message.text());
    }
    let sent = messages.send(&Draft::new(&text)).future()?.await?;
    println!("sent: {:?}", sent.message().map(|message| message.text()).unwrap_or_default());
    client.call(&Action::mark_as_read(&channel_url)).future()?.await?;
    Ok(())
}

/// Goes on until it is aborted: the stream keeps the client open.
async fn listen(mut events: EventStream<Arc<Client>>) -> Outcome {
    while let Some(event) = events.next().await {
        if let EventKind::Connection(state) = event?.kind {
            println!("connection: {state:?}");
        }
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let (Some(config), Some(channel_url), Some(text)) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("usage: tokio CONFIG_JSON CHANNEL_URL TEXT".into());
    };
    let client = Arc::new(Client::open(&Config::from_json(config))?);
    let listening = tokio::spawn(listen(EventStream::new(client.clone())?));
    tokio::spawn(chat(client, channel_url, text)).await??;
    listening.abort();
    Ok(())
}
