//! Actions: all that a chat does besides messages.

use crate::document::{document, quoted, quoted_list, Document};

document! {
    /// An action for [`Client::call`](crate::Client::call); `docs/actions.md` has all, with their keys. Since 0.1.
    ///
    /// ```
    /// let action = syncmanager::Action::new("add_reaction").text("channel_url", "c").number("message_id", 42);
    /// assert_eq!(action.to_json(), r#"{"action":"add_reaction","channel_url":"c","message_id":42}"#);
    /// ```
    Action {
        /// A key whose value is a text.
        text(key: &str, value: &str) { (key, quoted(value)) }
        /// A key whose value is a list of texts.
        texts(key: &str, values: &[impl AsRef<str>]) { (key, quoted_list(values)) }
        /// A key whose value is a whole number.
        number(key: &str, value: i64) { (key, value.to_string()) }
        /// A key whose value is true or false.
        flag(key: &str, value: bool) { (key, value.to_string()) }
        /// When the call completes with `Timeout`, 1 to 86,400,000 milliseconds; default: the client's
        /// `request_timeout_ms`.
        timeout_ms(milliseconds: u32) { ("timeout_ms", milliseconds.to_string()) }
    }
}

impl Action {
    /// An action without arguments yet.
    pub fn new(name: &str) -> Action {
        let mut document = Document::new();
        document.set("action", &quoted(name));
        Action(document)
    }
}
