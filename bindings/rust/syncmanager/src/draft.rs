//! Own messages: to be sent, to be changed, to be given up.

use crate::document::{document, quoted, quoted_list, Document};

document! {
    /// A message to be sent. Since 0.1.
    Draft {
        /// Text for programs, kept with the message.
        data(text: &str) { ("data", quoted(text)) }
        /// The message's type.
        custom_type(name: &str) { ("custom_type", quoted(name)) }
        /// Users who are mentioned.
        mention_users(users: &[impl AsRef<str>]) { ("mentioned_user_ids", quoted_list(users)) }
        /// The message this one replies to.
        reply_to(message_id: i64) { ("parent_message_id", message_id.to_string()) }
        /// Whether it is silent: no user is notified, and it does not count as unread.
        silent(flag: bool) { ("silent", flag.to_string()) }
        /// Whether the channel is to pin it.
        pin(flag: bool) { ("pin_message", flag.to_string()) }
        /// Languages to translate it to.
        target_languages(languages: &[impl AsRef<str>]) { ("target_langs", quoted_list(languages)) }
        /// The poll that it shows; it was made by the action `create_poll` and not sent yet.
        poll(poll_id: i64) { ("poll_id", poll_id.to_string()) }
        /// The text in which mentions stand as templates.
        mention_template(template: &str) { ("mentioned_message_template", quoted(template)) }
        /// What a program shows with the message: JSON text of an object.
        extended_payload(object: &str) { ("extended_message_payload", object.to_owned()) }
        /// How it rings on a device that is silent: the sound, and how loud, from 0 to 1.
        critical_alert(sound: &str, volume: f64) {
            ("apple_critical_alert_options", format!("{{\"name\":{},\"volume\":{volume}}}", quoted(sound)))
        }
        /// A file of the message; with [`files`](Draft::files) there are several.
        file(file: &OutgoingFile) { ("file", file.to_json()) }
        /// The files of the message, up to 30.
        files(files: &[OutgoingFile]) {
            ("files", format!("[{}]", files.iter().map(OutgoingFile::to_json).collect::<Vec<_>>().join(",")))
        }
        /// Whether what is written after a message with files waits until it is sent.
        wait(flag: bool) { ("wait", flag.to_string()) }
        /// The id of the message before the service gives it one; default: a new one.
        request_id(id: &str) { ("request_id", quoted(id)) }
    }
}

impl Draft {
    /// A message with this text.
    pub fn new(text: &str) -> Draft {
        let mut document = Document::new();
        document.set("message", &quoted(text));
        Draft(document)
    }
}

impl Draft {
    /// A message with a file, and no text.
    pub fn of_file(file: &OutgoingFile) -> Draft {
        Draft(Document::new()).file(file)
    }

    /// A message with several files, up to 30, and no text.
    pub fn of_files(files: &[OutgoingFile]) -> Draft {
        Draft(Document::new()).files(files)
    }
}

document! {
    /// A file of a message to be sent. Since 0.1.
    OutgoingFile {
        /// What the file is called; default: the last part of the path.
        name(name: &str) { ("name", quoted(name)) }
        /// The media type; default: guessed from the name.
        media_type(name: &str) { ("type", quoted(name)) }
        /// Bytes, of a file that has an address.
        size(bytes: u64) { ("size", bytes.to_string()) }
        /// Widths and heights, in pixels, in which pictures of an uploaded file are to be made; three at most.
        thumbnail_sizes(sizes: &[(u32, u32)]) {
            let sizes: Vec<String> = sizes
                .iter()
                .map(|(width, height)| format!("{{\"width\":{width},\"height\":{height}}}"))
                .collect();
            ("thumbnail_sizes", format!("[{}]", sizes.join(",")))
        }
        /// Whether it is given only to who is logged in.
        require_auth(flag: bool) { ("require_auth", flag.to_string()) }
    }
}

impl OutgoingFile {
    /// A file of this machine, by its absolute path; it is uploaded.
    pub fn path(path: &str) -> OutgoingFile {
        let mut document = Document::new();
        document.set("path", &quoted(path));
        OutgoingFile(document)
    }

    /// A file that is at some server already.
    pub fn url(url: &str) -> OutgoingFile {
        let mut document = Document::new();
        document.set("url", &quoted(url));
        OutgoingFile(document)
    }
}

document! {
    /// The changes to an own message that failed, or the new content of a sent one. Since 0.1.
    Edit {
        /// The new text.
        text(text: &str) { ("message", quoted(text)) }
        /// The new text for programs.
        data(text: &str) { ("data", quoted(text)) }
        /// The new type.
        custom_type(name: &str) { ("custom_type", quoted(name)) }
    }
}

impl Edit {
    /// A message that failed.
    pub fn request_id(id: &str) -> Edit {
        Edit(of_request(id))
    }

    /// The service's object, as JSON, of a message that the program edited by its own means.
    pub fn told(message: &str) -> Edit {
        Edit::from_json(message)
    }
}

document! {
    /// Names an own message. Since 0.1.
    Target {}
}

impl Target {
    /// A message that was sent.
    pub fn message_id(id: i64) -> Target {
        let mut document = Document::new();
        document.set("message_id", &id.to_string());
        Target(document)
    }

    /// A message that is pending or failed.
    pub fn request_id(id: &str) -> Target {
        Target(of_request(id))
    }
}

fn of_request(id: &str) -> Document {
    let mut document = Document::new();
    document.set("request_id", &quoted(id));
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(Draft::new("a\"b\\c\n\u{1}é").to_json(), r#"{"message":"a\"b\\c\u000a\u0001é"}"#);
    }
}
