//! The JSON documents that calls take: builders for the known keys, and constructors from JSON text.

use std::ffi::CString;
use std::fmt::Write as _;

use crate::error::{Error, ErrorKind, Result};

/// The members of an object, or a text as the program gave it.
#[derive(Clone, Debug)]
enum Content {
    Members(String),
    Text(String),
}

/// A JSON object for a call. What is in it is checked by the library: an unknown key or a wrong type is
/// [`ErrorKind::InvalidDocument`] with the path.
#[derive(Clone, Debug)]
pub(crate) struct Document(Content);

impl Document {
    pub(crate) fn new() -> Document {
        Document(Content::Members(String::new()))
    }

    pub(crate) fn of_text(text: String) -> Document {
        Document(Content::Text(text))
    }

    /// Adds a member whose value is JSON already.
    pub(crate) fn set(&mut self, key: &str, value: &str) {
        let mut members = match &self.0 {
            Content::Members(members) => members.clone(),
            Content::Text(text) => match text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                Some(members) => members.trim().to_owned(),
                None => return, // no object: the library will say so
            },
        };
        if !members.is_empty() {
            members.push(',');
        }
        members.push_str(&quoted(key));
        members.push(':');
        members.push_str(value);
        self.0 = Content::Members(members);
    }

    pub(crate) fn to_text(&self) -> String {
        match &self.0 {
            Content::Members(members) => format!("{{{members}}}"),
            Content::Text(text) => text.clone(),
        }
    }

    pub(crate) fn to_c(&self) -> Result<CString> {
        c_text(&self.to_text())
    }
}

/// A text for the C interface, in which a NUL would end it.
pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::new(ErrorKind::InvalidArgument, "a text with a NUL in it"))
}

pub(crate) fn quoted(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 2);
    result.push('"');
    for character in text.chars() {
        match character {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\u{0}'..='\u{1f}' => {
                let _ = write!(result, "\\u{:04x}", u32::from(character)); // writing to a String cannot fail
            }
            _ => result.push(character),
        }
    }
    result.push('"');
    result
}

pub(crate) fn quoted_list<T: AsRef<str>>(texts: &[T]) -> String {
    let parts: Vec<String> = texts.iter().map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", parts.join(","))
}

/// An object by keys and values, with what writes a value as JSON.
pub(crate) fn quoted_map<K: AsRef<str>, V>(members: &[(K, V)], json: impl Fn(&V) -> String) -> String {
    let parts: Vec<String> =
        members.iter().map(|(key, value)| format!("{}:{}", quoted(key.as_ref()), json(value))).collect();
    format!("{{{}}}", parts.join(","))
}

/// A kind of document: its own setters, and those that every kind has.
macro_rules! document {
    ($(#[$about:meta])* $name:ident {
        $($(#[$meaning:meta])* $setter:ident($($argument:ident: $type:ty),*) $body:block)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        #[must_use]
        pub struct $name(pub(crate) $crate::document::Document);

        impl $name {
            $($(#[$meaning])*
            pub fn $setter(mut self, $($argument: $type),*) -> Self {
                let (key, value): (&str, String) = $body;
                self.0.set(key, &value);
                self
            })*

            /// A document written elsewhere. The library checks it when it is used.
            pub fn from_json(text: impl Into<String>) -> Self {
                $name($crate::document::Document::of_text(text.into()))
            }

            /// Adds a member that has no method here; `json` is JSON text.
            pub fn with(mut self, key: &str, json: &str) -> Self {
                self.0.set(key, json);
                self
            }

            /// The document's JSON text.
            pub fn to_json(&self) -> String {
                self.0.to_text()
            }

            /// Makes a document from a type of the program. Feature `serde`.
            #[cfg(feature = "serde")]
            pub fn from_serialize(value: &impl serde::Serialize) -> $crate::error::Result<Self> {
                $crate::serialize::text_of(value).map(Self::from_json)
            }
        }
    };
}

pub(crate) use document;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_is_an_error() {
        assert_eq!(c_text("a\0b").map_err(|error| error.kind()), Err(ErrorKind::InvalidArgument));
    }
}
