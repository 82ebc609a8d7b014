//! JSON to and from types of the program. Feature `serde`.

use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;

/// The JSON text of a value.
pub(crate) fn text_of(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(misfit)
}

fn misfit(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::InvalidDocument, error.to_string())
}

impl Json {
    /// Reads the value into a type of the program. Fails with
    /// [`ErrorKind::InvalidDocument`](crate::ErrorKind::InvalidDocument) when it does not fit. Feature `serde`.
    pub fn to<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(self.as_text()).map_err(misfit)
    }
}

impl serde::Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let value: serde_json::Value = serde_json::from_str(self.as_text()).map_err(serde::ser::Error::custom)?;
        value.serialize(serializer)
    }
}
