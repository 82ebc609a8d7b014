//! The Rust host of the scenarios: Tests/Scenarios/PROTOCOL.md on the crate `syncmanager`. It decides nothing.

use std::collections::HashMap;
use std::io::{stdin, stdout, BufRead, Write};
use std::process::exit;
use std::time::Duration;

use serde_json::{json, Value};
use syncmanager::{
    Action, ChannelCollection, ChannelQuery, Client, Config, Draft, Edit, Error, Json, MessageCollection,
    MessageFilter, Row, RowStream, SearchCollection, SearchQuery, StreamRequest, StreamSpec, Target, Viewpoint,
};

/// What a step gives besides its id: members as JSON text, so that events stay as they were told.
type Answer = Result<String, Error>;

enum View {
    Channels(ChannelCollection),
    Messages(MessageCollection),
    Search(SearchCollection),
    Stream(RowStream),
}

#[derive(Default)]
struct Host {
    client: Option<Client>,
    views: HashMap<String, View>,
    #[cfg(feature = "world")]
    world: Option<syncmanager::testing::World>,
}

/// A step that makes no sense is a fault of the runner.
fn nonsense(what: &str) -> ! {
    eprintln!("{what}");
    exit(2)
}

/// The JSON text of a member, unless it is missing or null.
fn document(step: &Value, key: &str) -> Option<String> {
    step.get(key).filter(|value| !value.is_null()).map(Value::to_string)
}

fn needed(step: &Value, key: &str) -> String {
    document(step, key).unwrap_or_else(|| nonsense(&format!("no {key} in {step}")))
}

fn text<'a>(step: &'a Value, key: &str) -> &'a str {
    step[key].as_str().unwrap_or_else(|| nonsense(&format!("no text {key} in {step}")))
}

fn number(step: &Value, key: &str) -> i64 {
    step[key].as_i64().unwrap_or_else(|| nonsense(&format!("no number {key} in {step}")))
}

fn nothing(_: ()) -> String {
    String::new()
}

fn request(number: u64) -> String {
    format!(r#","request":{number}"#)
}

fn list<'a>(items: impl Iterator<Item = &'a Json>) -> String {
    format!("[{}]", items.map(Json::as_text).collect::<Vec<_>>().join(","))
}

fn rows(rows: &[Row]) -> String {
    let rows: Vec<String> =
        rows.iter().map(|row| format!(r#"{{"key":{},"item":{}}}"#, json!(row.key), row.item)).collect();
    format!("[{}]", rows.join(","))
}

impl Host {
    fn client(&self) -> &Client {
        self.client.as_ref().unwrap_or_else(|| nonsense("there is no client"))
    }

    fn view(&self, step: &Value) -> &View {
        let name = text(step, "on");
        self.views.get(name).unwrap_or_else(|| nonsense(&format!("no collection {name}")))
    }

    fn messages(&self, step: &Value) -> &MessageCollection {
        match self.view(step) {
            View::Messages(view) => view,
            View::Channels(_) | View::Search(_) | View::Stream(_) => nonsense("a collection that has no messages"),
        }
    }

    #[cfg(feature = "world")]
    fn world(&self) -> &syncmanager::testing::World {
        self.world.as_ref().unwrap_or_else(|| nonsense("there is no world"))
    }

    /// The steps of a world; `None` for others.
    #[cfg(feature = "world")]
    fn run_in_world(&mut self, step: &Value) -> Option<Answer> {
        match text(step, "do") {
            "world" => {
                let options = document(step, "options").unwrap_or_else(|| "{}".to_owned());
                let seed = number(step, "seed").unsigned_abs();
                match syncmanager::testing::World::with_options(seed, &[], &options) {
                    Ok(world) => self.world = Some(world),
                    Err(error) => nonsense(&error.to_string()),
                }
            }
            "ask_world" => {
                let (method, target, body) = (text(step, "method"), text(step, "target"), step["body"].as_str());
                let is_database = step["database"] == Value::Bool(true);
                let answer = self.world().ask(method, target, body, is_database);
                return Some(answer.map(|(status, body)| format!(r#","status":{status},"body":{}"#, json!(body))));
            }
            "end_world" => self.world = None,
            "kill" => {
                let client = self.client.take().unwrap_or_else(|| nonsense("there is no client"));
                self.world().kill(&client);
                self.views.clear();
            }
            _ => return None,
        }
        Some(Ok(String::new()))
    }

    #[cfg(not(feature = "world"))]
    fn run_in_world(&mut self, _: &Value) -> Option<Answer> {
        None
    }

    fn run(&mut self, step: &Value) -> Answer {
        if let Some(answer) = self.run_in_world(step) {
            return answer;
        }
        match text(step, "do") {
            "setup" => {
                self.client = Some(Client::open(&Config::from_json(needed(step, "config")))?);
                Ok(String::new())
            }
            "close" => {
                self.views.clear();
                match self.client.take() {
                    Some(client) => client.close(),
                    None => nonsense("there is no client"),
                }
                Ok(String::new())
            }
            "connect" => self.client().connect().start().map(request),
            "disconnect" => self.client().disconnect().map(nothing),
            "resume_sync" => self.client().resume_sync().map(nothing),
            "pause_sync" => self.client().pause_sync().map(nothing),
            "set_token" => self.client().set_token(text(step, "token")).map(nothing),
            "set_foreground" => self.client().set_foreground(step["foreground"] == Value::Bool(true)).map(nothing),
            "sign_out" => self.client().sign_out().start().map(request),
            "clear_cache" => {
                let url = step.get("channel_url").and_then(Value::as_str);
                self.client().clear_cache(url).start().map(request)
            }
            "call" => self.client().call(&Action::from_json(needed(step, "document"))).start().map(request),
            "channels" => {
                let query = document(step, "query").map(ChannelQuery::from_json);
                let view = self.client().channels(query.as_ref())?;
                Ok(self.keep(step, view.number(), View::Channels(view)))
            }
            "search" => {
                let view = self.client().search(&SearchQuery::from_json(needed(step, "query")))?;
                Ok(self.keep(step, view.number(), View::Search(view)))
            }
            "messages" => {
                let filter = document(step, "filter").map(MessageFilter::from_json);
                let viewpoint = Viewpoint::At(number(step, "viewpoint"));
                let view = self.client().messages(text(step, "channel_url"), viewpoint, filter.as_ref())?;
                Ok(self.keep(step, view.number(), View::Messages(view)))
            }
            "stream" => {
                let spec = StreamSpec::from_json(needed(step, "spec"));
                let view = match step.get("function").and_then(Value::as_object).cloned() {
                    Some(table) => self.client().stream_with(&spec, move |key, _| {
                        table.get(key).and_then(Value::as_i64).and_then(|answer| answer.try_into().ok()).unwrap_or(0)
                    }),
                    None => self.client().stream(&spec),
                }?;
                Ok(self.keep(step, view.number(), View::Stream(view)))
            }
            "ask" => match self.view(step) {
                View::Stream(view) => {
                    view.call(&StreamRequest::from_json(needed(step, "request"))).start().map(request)
                }
                _ => nonsense("only a stream is asked"),
            },
            "remove" => {
                self.view(step);
                self.views.remove(text(step, "on"));
                Ok(String::new())
            }
            "fetch" => match (self.view(step), text(step, "direction")) {
                (View::Channels(view), "next") => view.fetch_next(),
                (View::Search(view), "next") => view.fetch_next(),
                (View::Messages(view), "next") => view.fetch_next(),
                (View::Messages(view), "previous") => view.fetch_previous(),
                (_, direction) => nonsense(&format!("this collection cannot be fetched {direction}")),
            }
            .start()
            .map(request),
            "open_cached" => {
                let filter = document(step, "filter").map(MessageFilter::from_json);
                let viewpoint = Viewpoint::At(number(step, "viewpoint"));
                let mut opened = None;
                let call =
                    self.client().open_messages(text(step, "channel_url"), viewpoint, filter.as_ref(), &mut opened);
                let number = call.start()?;
                let view = opened.unwrap_or_else(|| nonsense("an accepted call made no collection"));
                Ok(self.keep(step, view.number(), View::Messages(view)) + &request(number))
            }
            "fetch_all_next" => self.messages(step).fetch_all_next().start().map(request),
            "fetch_failed" => self.messages(step).fetch_failed().start().map(request),
            "fetch_pending" => self.messages(step).fetch_pending().start().map(request),
            "contains" => match self.view(step) {
                View::Channels(view) => view.contains(text(step, "item")),
                View::Messages(view) => view.contains(text(step, "item")),
                View::Search(view) => view.contains(text(step, "item")),
                View::Stream(view) => view.contains(text(step, "item")),
            }
            .map(|is_there| format!(r#","contains":{is_there}"#)),
            "start" => self.messages(step).start().start().map(request),
            "reset_viewpoint" => {
                self.messages(step).reset_viewpoint(Viewpoint::At(number(step, "viewpoint"))).map(nothing)
            }
            "info" => match self.view(step) {
                View::Channels(view) => view.info(),
                View::Messages(view) => view.info(),
                View::Search(view) => view.info(),
                View::Stream(view) => view.info(),
            }
            .map(|info| format!(r#","info":{info}"#)),
            "snapshot" => match self.view(step) {
                View::Channels(view) => view.snapshot(),
                View::Messages(view) => view.snapshot(),
                View::Search(view) => view.snapshot(),
                View::Stream(view) => view.snapshot(),
            }
            .map(|snapshot| format!(r#","snapshot":{snapshot}"#)),
            "items" => Ok(format!(
                r#","items":{}"#,
                match self.view(step) {
                    View::Stream(view) => {
                        let sections: Vec<String> = view.sections().iter().map(|section| rows(section)).collect();
                        format!(r#"{{"sections":[{}]}}"#, sections.join(","))
                    }
                    View::Channels(view) => {
                        format!(r#"{{"channels":{}}}"#, list(view.items().iter().map(|channel| channel.json())))
                    }
                    View::Search(view) => {
                        format!(r#"{{"results":{}}}"#, list(view.items().iter().map(|found| found.json())))
                    }
                    View::Messages(view) => format!(
                        r#"{{"succeeded":{},"pending":{},"failed":{}}}"#,
                        list(view.items().iter().map(|message| message.json())),
                        list(view.pending().iter().map(|message| message.json())),
                        list(view.failed().iter().map(|message| message.json()))
                    ),
                }
            )),
            "send" => self.messages(step).send(&Draft::from_json(needed(step, "message"))).start().map(request),
            "append" => self.messages(step).append(&Draft::from_json(needed(step, "message"))).start().map(request),
            "update" => self.messages(step).update(&Edit::from_json(needed(step, "message"))).start().map(request),
            "delete" => self.messages(step).delete(&Target::from_json(needed(step, "message"))).start().map(request),
            "response" => {
                let code = i32::try_from(number(step, "error_code")).unwrap_or(i32::MAX);
                self.messages(step).handle_send_response(&needed(step, "message"), code).start().map(request)
            }
            "take" => {
                let timeout = Duration::from_millis(number(step, "timeout_ms").try_into().unwrap_or_default());
                let event = self.client().next_event(timeout)?;
                Ok(format!(r#","event":{}"#, event.as_ref().map_or("null", |event| event.json().as_text())))
            }
            verb => nonsense(&format!("no such verb: {verb}")),
        }
    }

    fn keep(&mut self, step: &Value, number: u64, view: View) -> String {
        self.views.insert(text(step, "as").to_owned(), view);
        format!(r#","collection":{number}"#)
    }
}

fn describe(error: &Error) -> String {
    let mut members = json!({"code": error.kind().code(), "name": error.kind().name(), "message": error.message()});
    if let Some(path) = error.path() {
        members["path"] = path.into();
    }
    format!(r#","error":{members}"#)
}

fn tell(line: &str) {
    let mut output = stdout().lock();
    if writeln!(output, "{line}").and_then(|()| output.flush()).is_err() {
        exit(1); // the runner is gone
    }
}

fn main() {
    let mut host = Host::default();
    tell(&json!({"host": "rust", "version": syncmanager::version(), "items": true}).to_string());
    for line in stdin().lock().lines() {
        let step: Value = match line
            .map_err(|error| error.to_string())
            .and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string()))
        {
            Ok(step) => step,
            Err(error) => nonsense(&error),
        };
        let answer = host.run(&step).unwrap_or_else(|error| describe(&error));
        tell(&format!(r#"{{"id":{}{answer}}}"#, number(&step, "id")));
    }
}
