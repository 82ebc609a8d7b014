//! Channels, messages and results of searches: the service's objects, with names for what most programs show.

use std::ops::Range;

use crate::json::Json;

macro_rules! item {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(Json);

        impl From<Json> for $name {
            fn from(json: Json) -> $name {
                $name(json)
            }
        }

        impl $name {
            /// The whole object, with every field that the service sent.
            pub fn json(&self) -> &Json {
                &self.0
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }
    };
}

item! {
    /// A cached message that a search has found. Since 0.1.
    SearchResult
}

impl SearchResult {
    /// What names it in changes and for [`SearchCollection::contains`](crate::SearchCollection::contains): the URL of
    /// its channel, a slash, and the message's id.
    pub fn id(&self) -> String {
        format!("{}/{}", self.channel_url(), self.message().id_text())
    }

    /// The URL of the message's channel.
    pub fn channel_url(&self) -> String {
        self.0.text_at("channel_url").unwrap_or_default()
    }

    /// The message, as cached.
    pub fn message(&self) -> Message {
        Message(self.0.get("message").unwrap_or_else(|| Json::new("{}")))
    }

    /// The part of its text around the first match.
    pub fn snippet(&self) -> String {
        self.0.get("snippet").and_then(|snippet| snippet.text_at("text")).unwrap_or_default()
    }

    /// Where the snippet has what was looked for: ranges of its bytes, in order.
    pub fn matches(&self) -> Vec<Range<usize>> {
        let matches = self.0.get("snippet").and_then(|snippet| snippet.get("matches"));
        let range = |place: Json| {
            let at = |key| place.u64_at(key).and_then(|offset| usize::try_from(offset).ok());
            Some(at("start")?..at("end")?)
        };
        matches.iter().flat_map(Json::elements).filter_map(range).collect()
    }
}

item! {
    /// A channel as the service describes it. Since 0.1.
    Channel
}

impl Channel {
    /// The URL, which identifies the channel in every call; empty only if the service sent none.
    pub fn url(&self) -> String {
        self.0.text_at("channel_url").unwrap_or_default()
    }

    /// The name for people.
    pub fn name(&self) -> String {
        self.0.text_at("name").unwrap_or_default()
    }

    /// Messages this user has not read.
    pub fn unread_message_count(&self) -> u64 {
        self.0.u64_at("unread_message_count").unwrap_or_default()
    }

    /// Messages this user has not read that mention it.
    pub fn unread_mention_count(&self) -> u64 {
        self.0.u64_at("unread_mention_count").unwrap_or_default()
    }

    /// How many members it has, invited ones included.
    pub fn member_count(&self) -> u64 {
        self.0.u64_at("member_count").unwrap_or_default()
    }

    /// The application's own type of channel; empty without one.
    pub fn custom_type(&self) -> String {
        self.0.text_at("custom_type").unwrap_or_default()
    }

    /// Whether only operators may write.
    pub fn is_frozen(&self) -> bool {
        self.0.bool_at("freeze").unwrap_or_default()
    }

    /// Up to when a member has read, in milliseconds since the epoch.
    pub fn read_receipt(&self, user_id: &str) -> Option<i64> {
        self.0.get("read_receipt").and_then(|marks| marks.i64_at(user_id))
    }

    /// Up to when messages have reached a member, in milliseconds since the epoch.
    pub fn delivery_receipt(&self, user_id: &str) -> Option<i64> {
        self.0.get("delivery_receipt").and_then(|marks| marks.i64_at(user_id))
    }

    /// The last message, if there is one.
    pub fn last_message(&self) -> Option<Message> {
        self.0.get("last_message").filter(|message| !message.is_null()).map(Message)
    }

    /// What the user has written in the channel and not sent.
    pub fn draft(&self) -> Option<String> {
        self.0.get("draft").and_then(|draft| draft.text_at("message"))
    }

    /// Ids of the members who are typing, who began first comes first.
    pub fn typing_members(&self) -> Vec<String> {
        let members = self.0.get("typing_members");
        members.iter().flat_map(|list| list.elements()).filter_map(|user| user.text_at("user_id")).collect()
    }
}

item! {
    /// A message as the service describes it, or one of this user that is not sent yet. Since 0.1.
    Message
}

impl Message {
    /// The service's id; 0 for a message that is pending or failed.
    pub fn id(&self) -> i64 {
        self.0.i64_at("message_id").unwrap_or_default()
    }

    /// The service's id as a text, whether it is a number, as today's service has, or a text: what events and
    /// [`contains`](crate::MessageCollection::contains) call the message. `0` for one that is pending or failed.
    pub fn id_text(&self) -> String {
        let id = self.0.get("message_id").filter(|id| !id.is_null());
        id.map_or_else(|| "0".to_owned(), |id| id.as_str().map_or_else(|| id.to_string(), |text| text.into_owned()))
    }

    /// The request id, which identifies an own message before the service has given it an id.
    pub fn request_id(&self) -> Option<String> {
        self.0.text_at("request_id").or_else(|| self.0.text_at("req_id")).filter(|id| !id.is_empty())
    }

    /// The channel's URL.
    pub fn channel_url(&self) -> String {
        self.0.text_at("channel_url").unwrap_or_default()
    }

    /// The text; empty for a file.
    pub fn text(&self) -> String {
        self.0.text_at("message").unwrap_or_default()
    }

    /// Milliseconds since the epoch: the service's clock, or this machine's for a message that is not sent yet.
    pub fn created_at(&self) -> i64 {
        self.0.i64_at("created_at").unwrap_or_default()
    }

    /// Who sent it; none for an admin message.
    pub fn sender_id(&self) -> Option<String> {
        self.0.get("user").and_then(|user| user.text_at("user_id"))
    }

    /// The sender's name for people, as it was when the message was sent; none for an admin message.
    pub fn sender_nickname(&self) -> Option<String> {
        self.0.get("user").and_then(|user| user.text_at("nickname"))
    }

    /// The application's own type of message; empty without one.
    pub fn custom_type(&self) -> String {
        self.0.text_at("custom_type").unwrap_or_default()
    }

    /// The application's own text beside the message; empty without one.
    pub fn data(&self) -> String {
        self.0.text_at("data").unwrap_or_default()
    }

    /// Milliseconds since the epoch of the last edit; 0 when it was never edited.
    pub fn updated_at(&self) -> i64 {
        self.0.i64_at("updated_at").unwrap_or_default()
    }

    /// Of a reply: the id of the message that it answers, as a text.
    pub fn parent_id_text(&self) -> Option<String> {
        let id = self.0.get("parent_message_id").filter(|id| !id.is_null())?;
        let text = id.as_str().map_or_else(|| id.to_string(), |text| text.into_owned());
        Some(text).filter(|text| text != "0")
    }

    /// How many replies its thread has.
    pub fn reply_count(&self) -> u64 {
        self.0.get("thread_info").and_then(|thread| thread.u64_at("reply_count")).unwrap_or_default()
    }

    /// The reactions, in the service's order.
    pub fn reactions(&self) -> Vec<Reaction> {
        self.0.get("reactions").iter().flat_map(|list| list.elements()).map(Reaction).collect()
    }

    /// `pending` or `failed` for an own message that is not sent yet.
    pub fn status(&self) -> Option<String> {
        self.0.text_at("status")
    }

    /// Why a failed message failed.
    pub fn error_code(&self) -> Option<i64> {
        self.0.i64_at("error_code")
    }
}

item! {
    /// A reaction to a message, and who gave it. Since 0.1.
    Reaction
}

impl Reaction {
    /// The reaction, a text that the application has chosen.
    pub fn key(&self) -> String {
        self.0.text_at("key").unwrap_or_default()
    }

    /// Ids of the users who gave it.
    pub fn user_ids(&self) -> Vec<String> {
        let ids = self.0.get("user_ids");
        let texts = ids.iter().flat_map(|list| list.elements());
        texts.filter_map(|id| id.as_str().map(|text| text.into_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_ranges_of_the_snippet() {
        let found = SearchResult::from(Json::new(
            r#"{"channel_url":"c","message":{"message_id":7},
                "snippet":{"text":"Köln","matches":[{"start":0,"end":5}]}}"#,
        ));
        let snippet = found.snippet();
        let marked: Vec<_> = found.matches().into_iter().map(|range| snippet.get(range)).collect();
        assert_eq!((found.id().as_str(), marked), ("c/7", vec![Some("Köln")]));
        let empty = SearchResult::from(Json::new("{}"));
        assert_eq!((empty.id().as_str(), empty.matches()), ("/0", vec![]));
    }

    #[test]
    fn an_id_is_a_number_or_a_text() {
        for (text, id, id_text) in [
            (r#"{"message_id":9007199254740993}"#, 9_007_199_254_740_993, "9007199254740993"),
            (r#"{"message_id":"\u0061-7"}"#, 0, "a-7"),
            (r#"{"message_id":0}"#, 0, "0"),
            (r#"{"message_id":null}"#, 0, "0"),
            ("{}", 0, "0"),
        ] {
            let message = Message::from(Json::new(text));
            assert_eq!((message.id(), message.id_text().as_str()), (id, id_text), "{text}");
        }
    }

    #[test]
    fn a_channel_has_counts_and_receipts() {
        let channel = Channel::from(Json::new(
            r#"{"unread_mention_count":2,"member_count":3,"custom_type":"work","freeze":true,
                "read_receipt":{"bo":5},"delivery_receipt":{"bo":7}}"#,
        ));
        assert_eq!((channel.unread_mention_count(), channel.member_count()), (2, 3));
        assert_eq!((channel.custom_type().as_str(), channel.is_frozen()), ("work", true));
        assert_eq!((channel.read_receipt("bo"), channel.delivery_receipt("bo")), (Some(5), Some(7)));
        assert_eq!((channel.read_receipt("al"), Channel::from(Json::new("{}")).is_frozen()), (None, false));
    }

    #[test]
    fn a_message_has_reactions_and_a_thread() {
        let message = Message::from(Json::new(
            r#"{"user":{"user_id":"bo","nickname":"Bo"},"custom_type":"c","data":"d","updated_at":9,
                "parent_message_id":7,"thread_info":{"reply_count":4},
                "reactions":[{"key":"heart","user_ids":["bo","mei"]},{"key":"up"}]}"#,
        ));
        let reactions = message.reactions();
        let told: Vec<_> = reactions.iter().map(|reaction| (reaction.key(), reaction.user_ids().join(" "))).collect();
        assert_eq!(told, [("heart".into(), "bo mei".into()), ("up".into(), String::new())]);
        assert_eq!((message.sender_nickname().as_deref(), message.updated_at()), (Some("Bo"), 9));
        assert_eq!((message.custom_type().as_str(), message.data().as_str()), ("c", "d"));
        assert_eq!((message.parent_id_text().as_deref(), message.reply_count()), (Some("7"), 4));
        for text in [r#"{"parent_message_id":0}"#, r#"{"parent_message_id":null}"#, "{}"] {
            let message = Message::from(Json::new(text));
            assert_eq!((message.parent_id_text(), message.reactions().len(), message.reply_count()), (None, 0, 0));
        }
    }
}
