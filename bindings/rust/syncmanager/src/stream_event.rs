//! What a batch did to a stream.

use crate::json::{Fields, Json};

/// A row of a stream in an event. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamRow {
    /// Section and place there: before the batch for a deleted row, after it for any other.
    pub path: (usize, usize),
    /// Where a row that moved was before.
    pub from: Option<(usize, usize)>,
    /// Unique within the stream.
    pub key: String,
    /// The row; `None` for a deleted one.
    pub item: Option<Json>,
}

/// What one batch did to a stream. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamBatch {
    /// The stream's number.
    pub collection: u64,
    /// The list begins again, empty.
    pub reset: bool,
    pub deleted: Vec<StreamRow>,
    pub added: Vec<StreamRow>,
    pub moved: Vec<StreamRow>,
    pub changed: Vec<StreamRow>,
}

/// One step of a batch, with the delivery `delegate`. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamStep {
    /// The stream's number.
    pub collection: u64,
    /// `will_change`, `deleted`, `added`, `changed` or `did_change`.
    pub step: String,
    pub rows: Vec<StreamRow>,
}

impl StreamRow {
    fn read(json: &Json) -> Option<StreamRow> {
        let fields = json.fields();
        let path = |key: &str| {
            let path: Vec<usize> =
                fields.get(key)?.elements().filter_map(|part| usize::try_from(part.as_u64()?).ok()).collect();
            Some((*path.first()?, *path.get(1)?))
        };
        Some(StreamRow {
            path: path("path")?,
            from: path("from"),
            key: fields.text_at("key")?,
            item: fields.get("item").cloned(),
        })
    }

    pub(crate) fn list(json: &Fields, key: &str) -> Option<Vec<StreamRow>> {
        json.get(key).map_or(Some(Vec::new()), |rows| rows.elements().map(|row| StreamRow::read(&row)).collect())
    }
}

impl StreamBatch {
    pub(crate) fn read(json: &Fields) -> Option<StreamBatch> {
        Some(StreamBatch {
            collection: json.u64_at("collection")?,
            reset: json.bool_at("reset").unwrap_or(false),
            deleted: StreamRow::list(json, "deleted")?,
            added: StreamRow::list(json, "added")?,
            moved: StreamRow::list(json, "moved")?,
            changed: StreamRow::list(json, "changed")?,
        })
    }
}
