//! Calls with `.await`, without a runtime: `await CONFIG_JSON CHANNEL_URL TEXT` shows a channel and sends a message.
//! Any `block_on` will do (of pollster, futures, a runtime); this one is the smallest there is. Programs for tokio and
//! smol are in `bindings/rust/async-examples`.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

use syncmanager::{Action, Client, Config, Draft, Viewpoint};

async fn chat(config: String, channel_url: String, text: String) -> Result<(), Box<dyn Error>> {
    let client = Client::open(&Config::from_json(config))?;
    client.connect().future()?.await?;
    let messages = client.messages(&channel_url, Viewpoint::Latest, None)?;
    messages.fetch_previous().future()?.await?; // the list is filled when the page has come
    for message in messages.items() {
        println!("{:?}: {:?}", message.sender_id().unwrap_or_default(), message.text());
    }
    let sent = messages.send(&Draft::new(&text)).future()?.await?;
    let message = sent.message().ok_or("no message came with the result")?;
    client.call(&Action::add_reaction(&channel_url, message.id(), "heart")).future()?.await?;
    println!("sent: {:?}", message.text());
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
        _ => Err("usage: await CONFIG_JSON CHANNEL_URL TEXT".into()),
    }
}
