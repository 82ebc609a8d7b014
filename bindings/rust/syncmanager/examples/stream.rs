//! Sends a message and follows a channel, async: `stream CONFIG_JSON CHANNEL_URL TEXT`. Any runtime will do; this one
//! is the smallest there is. Ends when the message was seen in the list.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

use syncmanager::{Client, Config, Draft, EventStream, Viewpoint};

async fn chat(config: String, channel_url: String, text: String) -> Result<(), Box<dyn Error>> {
    let client = Arc::new(Client::open(&Config::from_json(config))?);
    let mut events = EventStream::new(client.clone())?;
    let messages = client.messages(&channel_url, Viewpoint::Latest, None)?;
    client.connect().start()?;
    messages.fetch_previous().start()?;
    messages.send(&Draft::new(&text)).start()?;
    while let Some(event) = events.next().await {
        event?;
        let shown = messages.items(); // the list has the event's changes already
        if shown.last().map_or(false, |message| message.text() == text && message.id() != 0) {
            for message in shown {
                println!("{:?}: {:?}", message.sender_id().unwrap_or_default(), message.text());
            }
            break;
        }
    }
    Ok(())
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = Box::pin(future);
    let waker = Arc::new(Unpark(thread::current())).into();
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        thread::park();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next(), arguments.next(), arguments.next()) {
        (Some(config), Some(channel_url), Some(text)) => block_on(chat(config, channel_url, text)),
        _ => Err("usage: stream CONFIG_JSON CHANNEL_URL TEXT".into()),
    }
}
