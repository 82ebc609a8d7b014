//! Something of an operation on an object of the realtime database.

use crate::json::{Fields, Json};

/// An event of an operation on an object of the realtime database (`docs/resources.md`); the other members are in
/// [`Event::json`](crate::Event::json). Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResourceEvent {
    /// `will`, `did`, `persisted`, `action` or `error`.
    pub step: String,
    /// `create`, `update` or `destroy`.
    pub change: String,
    /// The number of the call that asked for it.
    pub request: u64,
    pub resource_type: String,
    pub key: String,
    pub path: String,
    pub context: String,
    /// The given value, or the members of an update.
    pub value: Option<Json>,
    /// Of `will`: the number for [`Client::continue_resource`](crate::Client::continue_resource).
    pub hook: Option<u64>,
}

impl ResourceEvent {
    pub(crate) fn read(name: &str, json: &Fields) -> Option<ResourceEvent> {
        Some(ResourceEvent {
            step: name.split('_').nth(1)?.to_owned(),
            change: json.text_at("change")?,
            request: json.u64_at("request")?,
            resource_type: json.text_at("resource_type")?,
            key: json.text_at("key")?,
            path: json.text_at("path")?,
            context: json.text_at("context")?,
            value: json.get("value").cloned(),
            hook: json.u64_at("hook"),
        })
    }
}
