//! How a call ended.

use crate::error::{Error, ErrorKind, Result};
use crate::item::{Channel, Message};
use crate::json::{Fields, Json};

/// How a call ended. Since 0.1.
#[derive(Clone, Debug)]
pub struct Outcome {
    request: u64,
    status: i32,
    json: Json,
}

impl Outcome {
    pub(crate) fn read(fields: &Fields, json: &Json) -> Option<Outcome> {
        let status = i32::try_from(fields.i64_at("status")?).ok()?;
        Some(Outcome { request: fields.u64_at("request")?, status, json: json.clone() })
    }

    /// The number of the call.
    pub fn request(&self) -> u64 {
        self.request
    }

    /// The error, or the outcome itself.
    pub fn ok(self) -> Result<Outcome> {
        match self.error() {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// The error, with the service's own code and message if it sent them.
    pub fn error(&self) -> Option<Error> {
        if self.status >= 0 {
            return None;
        }
        let words = self.json.text_at("message").unwrap_or_default();
        Some(Error::of_service(ErrorKind::from_code(self.status), words, self.json.i64_at("code")))
    }

    /// Of a fetch: whether more can be fetched in that direction.
    pub fn has_more(&self) -> bool {
        self.json.bool_at("has_more").unwrap_or(false)
    }

    /// Of a start: whether older messages can be fetched.
    pub fn has_previous(&self) -> bool {
        self.json.bool_at("has_previous").unwrap_or(false)
    }

    /// Of a start: whether newer messages can be fetched.
    pub fn has_next(&self) -> bool {
        self.json.bool_at("has_next").unwrap_or(false)
    }

    /// Of a fetch or a start: why nothing more can come for now, `offline`, `paused`, `error` or `reset`.
    pub fn short(&self) -> Option<String> {
        self.json.text_at("short")
    }

    /// Of a send or an edit that succeeded: the service's message.
    pub fn message(&self) -> Option<Message> {
        self.json.get("message").filter(|message| message.as_text().starts_with('{')).map(Message::from)
    }

    /// Of own messages that were fetched: how many were inserted.
    pub fn count(&self) -> Option<u64> {
        self.json.u64_at("count")
    }

    /// Of messages opened from the cache: their channel.
    pub fn channel(&self) -> Option<Channel> {
        self.json.get("channel").map(Channel::from)
    }

    /// Of calls on own messages: the message's request id.
    pub fn request_id(&self) -> Option<String> {
        self.json.text_at("request_id")
    }

    /// Of an action, or a request to a stream, that succeeded: its result, if it has one.
    pub fn result(&self) -> Option<Json> {
        self.json.get("result")
    }

    /// The whole result event.
    pub fn json(&self) -> &Json {
        &self.json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_an_error_with_the_words_of_the_service() {
        let result = Json::new(r#"{"request":4,"status":-14,"code":900060,"message":"no"}"#);
        let outcome = Outcome::read(&result.fields(), &result).expect("it is a result");
        let error = outcome.ok().expect_err("a negative status is an error");
        assert_eq!((error.kind(), error.message(), error.service_code()), (ErrorKind::Service, "no", Some(900060)));
    }
}
