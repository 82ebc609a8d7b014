//! Documents from types and items into types, with the feature `serde`.
#![cfg(feature = "serde")]

mod support;

use std::collections::BTreeMap;

use serde_json::{json, Value};
use support::{Server, PATIENCE};
use syncmanager::{Draft, ErrorKind, Viewpoint};

#[test]
fn documents_and_items_are_values() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    client.connect().wait(PATIENCE).expect("the server lets mei in");
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    let draft = Draft::from_serialize(&json!({"message": "hi", "custom_type": "greeting"})).expect("it is JSON");
    let sent = talk.send(&draft).wait(PATIENCE).expect("it is sent").message().expect("the message comes");
    let fields: BTreeMap<String, Value> = sent.json().to().expect("a message is an object");
    assert_eq!((&fields["message"], &fields["custom_type"]), (&json!("hi"), &json!("greeting")));
    assert_eq!(serde_json::to_value(&sent).expect("it is JSON")["message_id"], json!(sent.id()));
    assert_eq!(sent.json().to::<Vec<u8>>().map_err(|error| error.kind()), Err(ErrorKind::InvalidDocument));
}
