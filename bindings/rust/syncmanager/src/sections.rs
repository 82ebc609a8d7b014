//! The rows of a stream as its batches made them.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::stream_event::{StreamBatch, StreamRow, StreamStep};

/// A row of a stream. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// Unique within the stream.
    pub key: String,
    /// Any JSON value.
    pub item: Json,
}

/// The sections of a stream as its batches made them, by the numbers that are told.
#[derive(Default)]
pub(crate) struct Sections(BTreeMap<usize, Vec<Row>>);

impl Sections {
    /// The rows of a section, copied.
    pub(crate) fn section(&self, number: usize) -> Vec<Row> {
        self.0.get(&number).cloned().unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// All rows with their paths.
    pub(crate) fn rows(&self) -> impl Iterator<Item = ((usize, usize), &Row)> {
        self.0
            .iter()
            .flat_map(|(&section, rows)| rows.iter().enumerate().map(move |(row, item)| ((section, row), item)))
    }

    pub(crate) fn apply(&mut self, batch: &StreamBatch) -> Result<()> {
        if batch.reset {
            self.0.clear();
        }
        let left = batch.moved.iter().filter_map(|row| row.from);
        self.take_out(batch.deleted.iter().map(|row| row.path).chain(left).collect())?;
        self.put_in(batch.added.iter().chain(&batch.moved).collect())?;
        self.replace(&batch.changed)
    }

    pub(crate) fn apply_step(&mut self, step: &StreamStep) -> Result<()> {
        match step.step.as_str() {
            "deleted" => self.take_out(step.rows.iter().map(|row| row.path).collect()),
            "added" => self.put_in(step.rows.iter().collect()),
            "changed" => self.replace(&step.rows),
            _ => Ok(()),
        }
    }

    fn take_out(&mut self, mut paths: Vec<(usize, usize)>) -> Result<()> {
        paths.sort_unstable();
        for path in paths.into_iter().rev() {
            match self.0.get_mut(&path.0) {
                Some(rows) if path.1 < rows.len() => drop(rows.remove(path.1)),
                _ => return misfit(path),
            }
        }
        Ok(())
    }

    fn put_in(&mut self, mut rows: Vec<&StreamRow>) -> Result<()> {
        rows.sort_by_key(|row| row.path);
        for row in rows {
            let section = self.0.entry(row.path.0).or_default();
            match &row.item {
                Some(item) if row.path.1 <= section.len() => {
                    section.insert(row.path.1, Row { key: row.key.clone(), item: item.detached() })
                }
                _ => return misfit(row.path),
            }
        }
        Ok(())
    }

    fn replace(&mut self, rows: &[StreamRow]) -> Result<()> {
        for row in rows {
            let place = self.0.get_mut(&row.path.0).and_then(|rows| rows.get_mut(row.path.1));
            match (place, &row.item) {
                (Some(place), Some(item)) => *place = Row { key: row.key.clone(), item: item.detached() },
                _ => return misfit(row.path),
            }
        }
        Ok(())
    }
}

fn misfit(path: (usize, usize)) -> Result<()> {
    Err(Error::new(ErrorKind::Internal, format!("a change at {path:?} does not fit its stream")))
}
