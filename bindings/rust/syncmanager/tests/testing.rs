//! The module for others' tests: its errors name what was wrong.
#![cfg(feature = "testing")]

use syncmanager::testing::Server;

#[test]
fn a_refused_request_is_an_error_with_its_reason() {
    let server = Server::start(&["mei"]).expect("syncmanager-server can be started");
    let error = server.post("nowhere", "mei", "hi").expect_err("there is no such channel");
    assert!(error.to_string().contains("/v3/group_channels/nowhere/messages: HTTP/1.1 404"), "{error}");
}

#[test]
fn names_need_no_escapes() {
    let server = Server::start(&["mei"]).expect("syncmanager-server can be started");
    let url = "a b/ü?\"";
    server.create_channel(url, "\"quoted\"", &["mei"]).expect("any name is a name");
    let message = server.post(url, "mei", "line\nbreak").expect("mei is a member");
    assert_eq!(message.get("message").and_then(|text| text.as_str().map(Into::into)), Some("line\nbreak".to_string()));
}

#[test]
fn options_that_are_wrong_end_it_before_it_is_ready() {
    let error = Server::start_with(&[], ["--no-such-option"]).expect_err("the program refuses it");
    assert!(error.to_string().contains("ended before it was ready"), "{error}");
}
