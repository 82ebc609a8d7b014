//! The realtime database beside the chat (docs/database.md).

use crate::action::Action;
use crate::call::Call;
use crate::client::Client;
use crate::document::quoted;
use crate::queries::DatabaseQuery;

/// Values at paths, live, online and offline. [`Client::database`] gives it, and
/// [`Config::database`](crate::Config::database) says where it is; without that every call is refused with
/// `InvalidDocument`. Values are JSON text. Since 0.1.
///
/// A write completes when the service has answered, however long that takes; with [`Database::when_kept`], as soon as
/// it cannot be lost any more.
///
/// Completion: `Service` (refused: its code is the HTTP status), `NotConnected` (offline, and nothing is known of the
/// place), `Network`, `TokenRejected`, `Storage` (a write that could not be kept is not made), `Timeout`, `Closed`.
#[derive(Clone, Copy)]
pub struct Database<'a> {
    client: &'a Client,
    is_done_when_kept: bool,
}

impl Client {
    /// The realtime database beside the chat.
    pub fn database(&self) -> Database<'_> {
        Database { client: self, is_done_when_kept: false }
    }
}

impl<'a> Database<'a> {
    /// The same, with writes that complete as soon as they are kept; a refusal is then told by
    /// [`EventKind::DatabaseWriteRefused`](crate::EventKind::DatabaseWriteRefused).
    #[must_use]
    pub fn when_kept(self) -> Database<'a> {
        Database { is_done_when_kept: true, ..self }
    }

    fn write(&self, action: &str, path: &str) -> Action {
        let when = if self.is_done_when_kept { "kept" } else { "answered" };
        Action::new(action).text("path", path).text("when", when)
    }

    /// Reads the value at a place, or some of its children: member `value` of the result.
    pub fn get<'q>(&self, path: &str, query: impl Into<Option<&'q DatabaseQuery>>) -> Call<'a> {
        self.client.call(&DatabaseQuery::action("database_get", path, query.into()))
    }

    /// Writes a value; `null` removes the old one.
    pub fn set(&self, path: &str, value: &str) -> Call<'a> {
        self.client.call(&self.write("database_set", path).with("value", value))
    }

    /// Writes values at paths below a place, all or none; `values` is an object.
    pub fn update(&self, path: &str, values: &str) -> Call<'a> {
        self.client.call(&self.write("database_update", path).with("values", values))
    }

    /// Writes a value under a new key that is ordered after all earlier ones: member `key` of the result.
    pub fn push(&self, path: &str, value: &str) -> Call<'a> {
        self.client.call(&self.write("database_push", path).with("value", value))
    }

    /// Removes the value at a place.
    pub fn remove(&self, path: &str) -> Call<'a> {
        self.client.call(&self.write("database_remove", path))
    }

    /// Adds to the whole number at a place. When there is none, the value becomes `by`, or 0 if that is negative.
    pub fn count(&self, path: &str, by: i64) -> Call<'a> {
        self.client.call(&self.write("database_count", path).number("by", by))
    }

    /// Listens to a place, or to some of its children, until [`Database::unlisten`]: each value is an
    /// [`EventKind::DatabaseValue`](crate::EventKind::DatabaseValue) with the number of this call.
    pub fn listen<'q>(&self, path: &str, query: impl Into<Option<&'q DatabaseQuery>>) -> Call<'a> {
        self.client.call(&DatabaseQuery::action("database_listen", path, query.into()))
    }

    /// Ends a listen, by the number of the call that began it. Completion: `NotFound`.
    pub fn unlisten(&self, listen: u64) -> Call<'a> {
        self.client.call(&Action::new("database_unlisten").with("listen", &listen.to_string()))
    }

    /// Replaces a value by one that the program computes from it: an
    /// [`EventKind::DatabaseTransform`](crate::EventKind::DatabaseTransform) with the number of this call asks for the
    /// new value, [`Database::transformed`] answers. Members `committed` and `value` of the result.
    pub fn transaction(&self, path: &str) -> Call<'a> {
        self.client.call(&Action::new("database_transaction").text("path", path))
    }

    /// Answers a transaction with the new value; `None` keeps the current one. Completion: `NotFound`.
    pub fn transformed<'v>(&self, transaction: u64, value: impl Into<Option<&'v str>>) -> Call<'a> {
        let answer = Action::new("database_transformed").with("transaction", &transaction.to_string());
        self.client.call(&match value.into() {
            Some(value) => answer.with("value", value),
            None => answer.flag("abort", true),
        })
    }

    /// Sets the token by which the service knows this user; the answer to
    /// [`EventKind::DatabaseTokenNeeded`](crate::EventKind::DatabaseTokenNeeded).
    pub fn set_token<'t>(&self, token: impl Into<Option<&'t str>>) -> Call<'a> {
        let token = token.into().map_or("null".to_owned(), quoted);
        self.client.call(&Action::new("database_set_token").with("token", &token))
    }

    /// Stops all requests until [`Database::go_online`]; writes wait.
    pub fn go_offline(&self) -> Call<'a> {
        self.client.call(&Action::new("database_offline"))
    }

    /// Resumes requests after [`Database::go_offline`].
    pub fn go_online(&self) -> Call<'a> {
        self.client.call(&Action::new("database_online"))
    }
}
