use std::ffi::CStr;
use std::fmt;

use syncmanager_sys as sys;

use crate::json::Json;

/// The result of every function that can fail.
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident = $code:ident,)*) => {
        /// Why a call failed; one for each `SM_ERR_…` of the C header. Since 0.1.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$about])* $name,)*
            /// A status that this version of the crate does not know.
            Unknown(i32),
        }

        impl ErrorKind {
            /// The kind of a status of the C interface.
            pub fn from_code(code: i32) -> ErrorKind {
                match code {
                    $(sys::$code => ErrorKind::$name,)*
                    _ => ErrorKind::Unknown(code),
                }
            }

            /// The status in the C interface, always negative.
            pub fn code(self) -> i32 {
                match self {
                    $(ErrorKind::$name => sys::$code,)*
                    ErrorKind::Unknown(code) => code,
                }
            }

            /// Every kind that has a name.
            #[cfg(test)]
            pub(crate) const ALL: &'static [(ErrorKind, &'static str)] = &[$((ErrorKind::$name, stringify!($code)),)*];
        }
    };
}

kinds! {
    /// A number out of range, or a text that is too long or holds a NUL.
    InvalidArgument = SM_ERR_INVALID_ARGUMENT,
    /// The client or the collection is gone.
    InvalidHandle = SM_ERR_INVALID_HANDLE,
    /// Not JSON, an unknown key or a wrong type; [`Error::path`] says where.
    InvalidDocument = SM_ERR_INVALID_DOCUMENT,
    /// The client is closing, or closed before the call was done.
    Closed = SM_ERR_CLOSED,
    /// The call would wait for the callback it is made from.
    Reentrant = SM_ERR_REENTRANT,
    /// This process is a fork of the one that opened the client.
    Forked = SM_ERR_FORKED,
    /// A fetch in that direction is under way.
    DuplicatedFetch = SM_ERR_DUPLICATED_FETCH,
    /// Another client, in this process or another, has this user's files.
    Locked = SM_ERR_LOCKED,
    /// The data directory cannot be made, read or written, or is full.
    Storage = SM_ERR_STORAGE,
    /// A later version of the library wrote the files.
    NewerSchema = SM_ERR_NEWER_SCHEMA,
    /// The outbox file is damaged; the library never removes it by itself.
    CorruptIntents = SM_ERR_CORRUPT_INTENTS,
    /// The call needs a connection and there is none.
    NotConnected = SM_ERR_NOT_CONNECTED,
    /// The service did not answer.
    Network = SM_ERR_NETWORK,
    /// The service refused; [`Error::service_code`] is its own.
    Service = SM_ERR_SERVICE,
    /// Nothing came within the call's deadline.
    Timeout = SM_ERR_TIMEOUT,
    /// No such channel or message.
    NotFound = SM_ERR_NOT_FOUND,
    /// Only messages of this user can be changed.
    NotOwnMessage = SM_ERR_NOT_OWN_MESSAGE,
    /// The collection was removed, or the message given up, before the call was done.
    Removed = SM_ERR_REMOVED,
    /// The access token is missing, wrong or revoked.
    TokenRejected = SM_ERR_TOKEN_REJECTED,
    /// Another thread is draining this client's queue.
    Busy = SM_ERR_BUSY,
    /// Too many calls wait for the engine, or their results are not drained.
    TooManyCalls = SM_ERR_TOO_MANY_CALLS,
    /// The program canceled the call; what the service was asked it may still do.
    Canceled = SM_ERR_CANCELED,
    /// The service's answer is too large: more than 64 MiB, or more than 128 MiB with all others in flight.
    TooLarge = SM_ERR_TOO_LARGE,
    /// The key does not open this user's files, is missing, or they are not encrypted. Nothing was touched.
    WrongKey = SM_ERR_WRONG_KEY,
    /// A key was given, and there is no library that can use it; the message says what was found.
    NoEncryption = SM_ERR_NO_ENCRYPTION,
    /// No thread or descriptor is left, or a fault of the library or of this crate: report that with the log.
    Internal = SM_ERR_INTERNAL,
}

impl ErrorKind {
    /// The constant's name, as `SM_ERR_CLOSED`.
    #[doc(alias = "sm_status_name")]
    pub fn name(self) -> &'static str {
        // SAFETY: it gives a static text for every number.
        unsafe { CStr::from_ptr(sys::sm_status_name(self.code())) }.to_str().unwrap_or("SM_ERR_UNKNOWN")
    }
}

/// Why a call failed: a kind to decide by, and words for people. Since 0.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    path: Option<String>,
    service_code: Option<i64>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), path: None, service_code: None }
    }

    pub(crate) fn of_service(kind: ErrorKind, message: impl Into<String>, code: Option<i64>) -> Error {
        Error { kind, message: message.into(), path: None, service_code: code }
    }

    /// The last error of this thread, which a call just reported with `code`.
    #[doc(alias = "sm_last_error")]
    pub(crate) fn last(code: i32) -> Error {
        // SAFETY: the text is valid until the next call on this thread, and is copied before that.
        let text = unsafe { CStr::from_ptr(sys::sm_last_error()) }.to_string_lossy();
        let json = Json::new(&text);
        Error {
            kind: ErrorKind::from_code(code),
            message: json.text_at("message").unwrap_or_default(),
            path: json.text_at("path"),
            service_code: None,
        }
    }

    /// The kind, to decide by.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What went wrong, in words.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where in a document, as `$.limit`.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// The service's own error code, or the one of docs/errors.md for what did not reach the service.
    pub fn service_code(&self) -> Option<i64> {
        self.service_code
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind.name())?;
        if let Some(code) = self.service_code {
            write!(formatter, " {code}")?;
        }
        if self.message.is_empty() {
            return Ok(());
        }
        write!(formatter, ": {}", self.message)
    }
}

impl std::error::Error for Error {}

/// Turns a negative status into an error with the library's own words.
pub(crate) fn check(status: i32) -> Result<i32> {
    if status < 0 {
        return Err(Error::last(status));
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_the_name_that_the_library_gives_its_number() {
        for &(kind, constant) in ErrorKind::ALL {
            assert_eq!(kind.name(), constant);
            assert_eq!(ErrorKind::from_code(kind.code()), kind);
        }
    }

    /// A test, so that a new status of the header that is missing here is found.
    #[test]
    fn no_status_of_the_library_is_unknown() {
        for code in -200..0 {
            // SAFETY: it gives a static text for every number.
            let name = unsafe { CStr::from_ptr(sys::sm_status_name(code)) }.to_str();
            let is_known = !matches!(ErrorKind::from_code(code), ErrorKind::Unknown(_));
            assert_eq!(name != Ok("SM_ERR_UNKNOWN"), is_known, "status {code} is {name:?}");
        }
    }
}
