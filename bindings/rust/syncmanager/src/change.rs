//! What a change did to a list.

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind, Result};
use crate::json::{Fields, Json};

/// One of a collection's lists. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum List {
    Channels,
    Succeeded,
    Pending,
    Failed,
    /// Of a search.
    Results,
}

/// Changes of one list, to be applied in order. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The collection's number.
    pub collection: u64,
    /// Which of its lists.
    pub list: List,
    /// Why.
    pub source: Source,
    /// Whether a realtime event is the reason.
    pub from_event: bool,
    /// Why the list of failed messages changed: `none`, `update_resend_failed`, `remove_resend_succeeded`,
    /// `remove_retention_expired`, `remove_exceeded_max_count`, `remove_manual_action`, `remove_unknown`.
    pub reason: Option<String>,
    /// What happened in particular, oldest first: objects with `event` and its members (docs/events.md). Empty when
    /// there is nothing to say.
    pub detail: Vec<Json>,
    /// What to do, in order; every index is valid at the moment it is applied.
    pub steps: Vec<Step>,
}

/// One change of a list. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Step {
    Insert {
        index: usize,
        id: String,
        item: Json,
    },
    Update {
        index: usize,
        id: String,
        item: Json,
    },
    /// Take the element out at `from`, then put it in at `to`.
    Move {
        from: usize,
        to: usize,
        id: String,
        item: Json,
    },
    /// `item` is the removed item, as the live list had it; `None` when there is no live list any more.
    Remove {
        index: usize,
        id: String,
        item: Option<Json>,
    },
    Clear,
}

/// Why a list changed. Since 0.1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    Cache,
    Sync,
    /// Messages that were missed while offline.
    MessageFill,
    MessageChangelog,
    ChannelChangelog,
    ChannelRefresh,
    /// The list was trimmed to its capacity.
    Capacity,
    Overflow,
    ViewpointReset,
    CacheCleared,
    LocalMessagePendingCreated,
    LocalMessageFailed,
    LocalMessageCanceled,
    LocalMessageResendStarted,
    /// An optimistic action is shown, or taken back.
    LocalAction,
    /// The user's draft in a channel or thread is another one, or has gone.
    DraftChanged,
    /// A realtime event; its name without `event_`.
    Event(String),
    /// To be treated as [`Source::Sync`].
    Other(String),
}

impl Source {
    fn named(name: String) -> Source {
        match name.as_str() {
            "cache" => Source::Cache,
            "sync" => Source::Sync,
            "message_fill" => Source::MessageFill,
            "message_changelog" => Source::MessageChangelog,
            "channel_changelog" => Source::ChannelChangelog,
            "channel_refresh" => Source::ChannelRefresh,
            "capacity" => Source::Capacity,
            "overflow" => Source::Overflow,
            "viewpoint_reset" => Source::ViewpointReset,
            "cache_cleared" => Source::CacheCleared,
            "local_message_pending_created" => Source::LocalMessagePendingCreated,
            "local_message_failed" => Source::LocalMessageFailed,
            "local_message_canceled" => Source::LocalMessageCanceled,
            "local_message_resend_started" => Source::LocalMessageResendStarted,
            "local_action" => Source::LocalAction,
            "draft_changed" => Source::DraftChanged,
            _ => match name.strip_prefix("event_") {
                Some(event) => Source::Event(event.to_owned()),
                None => Source::Other(name),
            },
        }
    }
}

impl Step {
    /// Applies the change to `items`. Fails with [`ErrorKind::Internal`] when an index does not fit the list, that is,
    /// when an earlier change was left out.
    pub fn apply<T: From<Json>>(&self, items: &mut VecDeque<T>) -> Result<()> {
        let length = items.len();
        let misfit = |index: usize| {
            let message = format!("a change at {index} does not fit a list of {length}: {self:?}");
            Err(Error::new(ErrorKind::Internal, message))
        };
        match self {
            Step::Insert { index, .. } if *index > length => misfit(*index),
            Step::Insert { index, item, .. } => {
                items.insert(*index, T::from(item.detached()));
                Ok(())
            }
            Step::Update { index, item, .. } => match items.get_mut(*index) {
                Some(place) => {
                    *place = T::from(item.detached());
                    Ok(())
                }
                None => misfit(*index),
            },
            Step::Move { from, to, .. } if *from >= length || *to >= length => misfit(*from.max(to)),
            Step::Move { from, to, item, .. } => {
                items.remove(*from);
                items.insert(*to, T::from(item.detached()));
                Ok(())
            }
            Step::Remove { index, .. } => items.remove(*index).map_or_else(|| misfit(*index), |_| Ok(())),
            Step::Clear => {
                items.clear();
                Ok(())
            }
        }
    }
}

impl Change {
    /// Applies all steps to `items`; see [`Step::apply`].
    pub fn apply<T: From<Json>>(&self, items: &mut VecDeque<T>) -> Result<()> {
        self.steps.iter().try_for_each(|step| step.apply(items))
    }

    /// The same for a live list, which gives the removed items.
    pub(crate) fn apply_live(&mut self, items: &mut VecDeque<Json>) -> Result<()> {
        self.steps.iter_mut().try_for_each(|step| {
            if let Step::Remove { index, item, .. } = step {
                *item = items.get(*index).cloned();
            }
            step.apply(items)
        })
    }

    pub(crate) fn read(json: &Fields) -> Option<Change> {
        let list = match json.text_at("list")?.as_str() {
            "channels" => List::Channels,
            "succeeded" => List::Succeeded,
            "pending" => List::Pending,
            "failed" => List::Failed,
            "results" => List::Results,
            _ => return None,
        };
        let action = json.text_at("action")?;
        let items = json.get(match list {
            List::Channels => "channels",
            List::Succeeded | List::Pending | List::Failed => "messages",
            List::Results => "results",
        });
        let mut items = items.into_iter().flat_map(Json::elements);
        let mut steps = Vec::new();
        if action == "clear" {
            steps.push(Step::Clear);
        }
        for change in json.get("changes")?.elements() {
            let change = change.fields();
            let id = change.text_at("id")?;
            let at = |key: &str| change.u64_at(key).and_then(|index| usize::try_from(index).ok());
            steps.push(match action.as_str() {
                "insert" => Step::Insert { index: at("index")?, id, item: items.next()? },
                "update" => Step::Update { index: at("index")?, id, item: items.next()? },
                "move" => Step::Move { from: at("from")?, to: at("to")?, id, item: items.next()? },
                "remove" => Step::Remove { index: at("index")?, id, item: None },
                _ => return None,
            });
        }
        Some(Change {
            collection: json.u64_at("collection")?,
            list,
            source: Source::named(json.text_at("source")?),
            from_event: json.bool_at("from_event").unwrap_or(false),
            reason: json.text_at("reason"),
            detail: json.get("detail").map_or_else(Vec::new, |detail| detail.elements().collect()),
            steps,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(action: &str, changes: &str, items: &str) -> Change {
        let text = format!(
            r#"{{"collection":3,"list":"channels","action":"{action}","source":"sync","from_event":false,
                "changes":{changes},"channels":{items}}}"#
        );
        Change::read(&Json::new(&text).fields()).expect("it is a change")
    }

    #[test]
    fn changes_are_applied_in_order() -> Result<()> {
        let mut list: VecDeque<Json> = VecDeque::new();
        change("insert", r#"[{"index":0,"id":"a"},{"index":1,"id":"b"},{"index":2,"id":"c"}]"#, "[1,2,3]")
            .apply(&mut list)?;
        change("move", r#"[{"from":2,"to":0,"id":"c"}]"#, "[33]").apply(&mut list)?;
        change("update", r#"[{"index":1,"id":"a"}]"#, "[11]").apply(&mut list)?;
        change("remove", r#"[{"index":2,"id":"b"}]"#, "[]").apply(&mut list)?;
        assert_eq!(list.iter().map(Json::as_text).collect::<Vec<_>>(), ["33", "11"]);
        change("clear", "[]", "[]").apply(&mut list)?;
        assert!(list.is_empty());
        Ok(())
    }

    #[test]
    fn a_live_list_hands_over_what_is_removed() -> Result<()> {
        let mut list: VecDeque<Json> = VecDeque::new();
        change("insert", r#"[{"index":0,"id":"a"},{"index":1,"id":"b"},{"index":2,"id":"c"}]"#, "[1,2,3]")
            .apply_live(&mut list)?;
        let mut gone = change("remove", r#"[{"index":2,"id":"c"},{"index":0,"id":"a"}]"#, "[]");
        gone.apply_live(&mut list)?;
        let items: Vec<_> = gone
            .steps
            .iter()
            .map(|step| match step {
                Step::Remove { item: Some(item), .. } => item.as_text().to_owned(),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!((items, list.len()), (vec!["3".to_owned(), "1".to_owned()], 1));
        Ok(())
    }

    #[test]
    fn a_change_that_does_not_fit_is_an_error() {
        for (action, changes) in [
            ("insert", r#"[{"index":1,"id":"a"}]"#),
            ("update", r#"[{"index":0,"id":"a"}]"#),
            ("remove", r#"[{"index":0,"id":"a"}]"#),
            ("move", r#"[{"from":0,"to":0,"id":"a"}]"#),
        ] {
            let mut list: VecDeque<Json> = VecDeque::new();
            let outcome = change(action, changes, "[1]").apply(&mut list);
            assert_eq!(outcome.map_err(|error| error.kind()), Err(ErrorKind::Internal), "{action}");
        }
    }
}
