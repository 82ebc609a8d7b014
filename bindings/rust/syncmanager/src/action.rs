//! Actions: all that a chat does besides messages.

use crate::document::{document, quoted, quoted_list, Document};

document! {
    /// An action for [`Client::call`](crate::Client::call): each of `docs/actions.md` has a constructor with the keys
    /// that it needs, and there is a method for each key that it may have. Since 0.1.
    ///
    /// ```
    /// use syncmanager::Action;
    ///
    /// let action = Action::add_reaction("c", 42, "heart");
    /// assert_eq!(action.to_json(), r#"{"action":"add_reaction","channel_url":"c","message_id":"42","key":"heart"}"#);
    /// let page = Action::list_members("c").limit(10).member_state_filter("joined_only");
    /// # assert!(page.to_json().contains(r#""limit":10"#));
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
    /// An action by its name, without arguments yet.
    pub fn new(name: &str) -> Action {
        Action(Document::new()).set("action", quoted(name))
    }

    /// Adds a member whose value is JSON already.
    pub(crate) fn set(mut self, key: &str, json: String) -> Action {
        self.0.set(key, &json);
        self
    }
}
