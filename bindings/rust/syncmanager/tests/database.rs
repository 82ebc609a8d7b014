//! The realtime database: its calls, live values, transactions.
#![cfg(feature = "testing")]

use std::time::Duration;

use syncmanager::testing::Server;
use syncmanager::{Client, DatabaseQuery, ErrorKind, EventKind, StreamSpec};

const PATIENCE: Duration = Duration::from_secs(30);

fn start() -> (Server, Client) {
    let server = Server::start_with(&["mei"], ["--database-port", "0"]).expect("syncmanager-server can be started");
    let url = server.ready().get("database_url").expect("a database");
    let config = server.config("mei").database(&url.as_str().expect("a text"), Some("test"), None);
    let client = Client::open(&config).expect("a client");
    (server, client)
}

/// The first event of which `read` makes something.
fn expect<T>(client: &Client, read: impl Fn(&EventKind) -> Option<T>) -> T {
    loop {
        let event = client.next_event(PATIENCE).expect("an open client").expect("an event in time");
        if let Some(found) = read(&event.kind) {
            return found;
        }
    }
}

#[test]
fn values_are_written_and_read() {
    let (_server, client) = start();
    let database = client.database();
    let value = |path: &str, query: Option<&DatabaseQuery>| {
        let outcome = database.get(path, query).wait(PATIENCE).expect("it is read");
        outcome.result().and_then(|result| result.get("value")).expect("a value").to_string()
    };
    database.set("a", r#"{"b":1}"#).wait(PATIENCE).expect("it is written");
    database.update("a", r#"{"c/d":2}"#).wait(PATIENCE).expect("it is written");
    database.count("n", 3).wait(PATIENCE).expect("it is counted");
    let pushed = database.when_kept().push("log", "\"x\"").wait(PATIENCE).expect("it is kept");
    let key = pushed.result().and_then(|result| result.get("key")).expect("a key");
    database.remove("a/b").wait(PATIENCE).expect("it is removed");
    assert_eq!(value("a", None), r#"{"c":{"d":2}}"#);
    assert_eq!(value("a", Some(&DatabaseQuery::new().shallow())), r#"{"c":true}"#);
    assert_eq!(value("log", Some(&DatabaseQuery::new().start_at(key.as_text()))), format!("{{{key}:\"x\"}}"));
    assert_eq!(value("n", None), "3");
    let refused = database.set("a.b", "1").start().expect_err("no path");
    assert_eq!((refused.kind(), refused.path()), (ErrorKind::InvalidDocument, Some("$.path")));
    database.go_offline().wait(PATIENCE).expect("it is done");
    let missing = database.get("x", None).wait(PATIENCE).expect_err("nothing is known");
    assert_eq!(missing.kind(), ErrorKind::NotConnected);
    database.go_online().wait(PATIENCE).expect("it is done");
    client.close();
}

#[test]
fn listens_and_transactions_go_by_the_numbers_of_their_calls() {
    let (server, client) = start();
    let database = client.database();
    let number = database.listen("n", None).start().expect("it is accepted");
    let transaction = database.transaction("n").start().expect("it is accepted");
    let asked = expect(&client, |kind| match kind {
        EventKind::DatabaseTransform { transaction, value } => Some((*transaction, value.is_null())),
        _ => None,
    });
    assert_eq!(asked, (transaction, true));
    database.transformed(transaction, "5").start().expect("it is accepted");
    expect(&client, |kind| match kind {
        EventKind::DatabaseValue { listen, value, current: true } if *listen == number => {
            value.as_i64().filter(|value| *value == 5)
        }
        _ => None,
    });
    database.unlisten(number).wait(PATIENCE).expect("it is known");
    let again = database.unlisten(number).wait(PATIENCE).expect_err("it is not known any more");
    assert_eq!(again.kind(), ErrorKind::NotFound);
    let rows = client.stream(&StreamSpec::database("", None).at_once()).expect("a stream");
    while rows.sections().concat().iter().all(|row| row.key != "n") {
        client.next_event(PATIENCE).expect("an open client").expect("an event in time");
    }
    drop(rows);
    client.close();
    drop(server);
}
