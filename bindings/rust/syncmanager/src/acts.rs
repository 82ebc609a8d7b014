//! What `testing::Server` and `testing::World` have in common.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io};

use crate::document::quoted;

pub(crate) fn token(user_id: &str) -> String {
    format!("token-{user_id}")
}

/// An empty folder below the system's for temporary files, for the caches of a test.
pub(crate) fn new_folder() -> io::Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::SeqCst);
    let folder = env::temp_dir().join(format!("syncmanager-testing-{}-{number}", std::process::id()));
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => fs::create_dir_all(&folder)?, // what was there is of an earlier process of this number
    }
    Ok(folder)
}

pub(crate) fn channel_body(channel_url: &str, name: &str, users: &[&str]) -> String {
    let users: Vec<String> = users.iter().map(|user| quoted(user)).collect();
    format!(r#"{{"channel_url":{},"name":{},"user_ids":[{}]}}"#, quoted(channel_url), quoted(name), users.join(","))
}

pub(crate) fn messages_path(channel_url: &str) -> String {
    format!("/v3/group_channels/{}/messages", escaped(channel_url))
}

pub(crate) fn message_body(user_id: &str, text: &str) -> String {
    format!(r#"{{"message_type":"MESG","user_id":{},"message":{}}}"#, quoted(user_id), quoted(text))
}

pub(crate) fn failed(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Other, text)
}

/// A part of a path, percent-encoded.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            result.push(char::from(byte));
        } else {
            result.push_str(&format!("%{byte:02X}"));
        }
    }
    result
}
