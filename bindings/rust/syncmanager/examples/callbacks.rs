//! A loop that dispatches to closures: `callbacks CONFIG_JSON` prints the channels and what becomes of them, until
//! nothing happened for five seconds.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use syncmanager::{Client, Config, EventKind, Step};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = std::env::args().nth(1).ok_or("usage: callbacks CONFIG_JSON")?;
    let client = Client::open(&Config::from_json(config))?;
    let channels = client.channels(None)?;
    let count = Cell::new(0); // closures are Send, not Sync: a Cell will do
    channels.set_callback(move |event| {
        if let EventKind::Change(change) = &event.kind {
            count.set(count.get() + 1);
            for step in &change.steps {
                match step {
                    Step::Insert { index, id, .. } => println!("{}: + {id:?} at {index}", count.get()),
                    Step::Move { from, to, id, .. } => println!("{}: > {id:?} from {from} to {to}", count.get()),
                    Step::Remove { id, .. } => println!("{}: - {id:?}", count.get()),
                    Step::Update { index, id, .. } => println!("{}: ~ {id:?} at {index}", count.get()),
                    _ => println!("{}: cleared", count.get()),
                }
            }
        }
    })?;
    client.connect().start()?;
    let fetched = Arc::new(AtomicBool::new(false));
    let told = fetched.clone();
    channels.fetch_next().then(move |outcome| {
        if let Some(error) = outcome.error() {
            eprintln!("no page: {error:?}");
        }
        told.store(true, Ordering::Relaxed);
    })?;
    while client.dispatch(Duration::from_secs(5))? > 0 {}
    println!("{} channels, fetched: {}", channels.len(), fetched.load(Ordering::Relaxed));
    Ok(())
}
