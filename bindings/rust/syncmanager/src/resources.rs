//! Objects of registered types over the realtime database, in contexts.

use crate::action::Action;
use crate::call::Call;
use crate::client::Client;

/// A context: named resources, on top of those of its parent. Objects are created, updated and destroyed in it.
///
/// `docs/resources.md` says what each call does and gives. Values and resources are JSON text.
///
/// Keys without an argument here, as `when` and `timeout_ms`, are added to [`action`](ResourceContext::action):
/// `client.call(&group.action("create").text("resource_type", "Message").with("value", "1").text("when", "kept"))`.
/// Since 0.1.
///
/// ```no_run
/// # fn main() -> syncmanager::Result<()> {
/// # let client = syncmanager::Client::open(&syncmanager::Config::new("A", "mei"))?;
/// let counters = r#"[{"name":"message_count","counting":"Message"}]"#;
/// client.register_resource("Group", "/group/@", counters, &[] as &[&str]).wait(None)?;
/// client.register_resource("Message", "/message/$group/@", "[]", &["action"]).wait(None)?;
/// let root = client.resource_context("root");
/// root.open("{}").wait(None)?;
/// let group = root.child("hikers");
/// group.open(r#"{"group":{"key":"hikers","type":"Group"}}"#).wait(None)?;
/// group.create("Message", None, r#"{"text":"hello"}"#).wait(None)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ResourceContext<'c> {
    client: &'c Client,
    name: String,
    parent: Option<String>,
}

impl Client {
    /// Registers a type: where its objects are, what they count (a list, JSON text), and which hooks are told. Once for
    /// each type.
    pub fn register_resource(
        &self,
        resource_type: &str,
        path: &str,
        counters: &str,
        hooks: &[impl AsRef<str>],
    ) -> Call<'_> {
        let action = Action::new("resource_register").text("resource_type", resource_type).text("path", path);
        self.call(&action.with("counters", counters).texts("hooks", hooks))
    }

    /// A context that stands on no other one; [`open`](ResourceContext::open) makes it.
    pub fn resource_context(&self, name: &str) -> ResourceContext<'_> {
        ResourceContext { client: self, name: name.to_owned(), parent: None }
    }

    /// Answers a `will` hook: the operation goes on, with another value if one is given (JSON text).
    pub fn continue_resource(&self, hook: u64, value: Option<&str>) -> Call<'_> {
        let action = continuing(hook);
        self.call(&match value {
            Some(value) => action.with("value", value),
            None => action,
        })
    }

    /// Answers a `will` hook: the operation is not done, and its call fails with `Canceled` and this text.
    pub fn refuse_resource(&self, hook: u64, why: &str) -> Call<'_> {
        self.call(&continuing(hook).text("refuse", why))
    }
}

fn continuing(hook: u64) -> Action {
    Action::new("resource_continue").with("hook", &hook.to_string())
}

impl<'c> ResourceContext<'c> {
    /// The name of the context in actions and events.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A context on this one; [`open`](ResourceContext::open) makes it.
    pub fn child(&self, name: &str) -> ResourceContext<'c> {
        ResourceContext { client: self.client, name: name.to_owned(), parent: Some(self.name.clone()) }
    }

    /// Makes an action `resource_…` in this context.
    pub fn action(&self, name: &str) -> Action {
        Action::new(&format!("resource_{name}")).text("context", &self.name)
    }

    /// Makes the context, with these resources.
    pub fn open(&self, resources: &str) -> Call<'c> {
        let action = self.action("push").with("resources", resources);
        self.client.call(&match &self.parent {
            Some(parent) => action.text("parent", parent),
            None => action,
        })
    }

    /// Replaces the context's own resources by these.
    pub fn reset(&self, resources: &str) -> Call<'c> {
        self.client.call(&self.action("reset").with("resources", resources))
    }

    /// Ends the context and frees its name. Contexts that stand on this one keep its resources.
    pub fn pop(&self) -> Call<'c> {
        self.client.call(&self.action("pop"))
    }

    /// The resources that are seen from here, of each name the topmost; with a name only that one.
    pub fn lookup(&self, name: Option<&str>) -> Call<'c> {
        let action = self.action("lookup");
        self.client.call(&match name {
            Some(name) => action.text("name", name),
            None => action,
        })
    }

    /// The path of an object.
    pub fn path(&self, resource_type: &str, key: Option<&str>) -> Call<'c> {
        self.client.call(&self.object("ref", resource_type, key))
    }

    /// The path of all objects of a type.
    pub fn collection_path(&self, resource_type: &str) -> Call<'c> {
        self.client.call(&self.object("collection_ref", resource_type, None))
    }

    /// Creates an object, under a new key when none is given.
    pub fn create(&self, resource_type: &str, key: Option<&str>, value: &str) -> Call<'c> {
        self.client.call(&self.object("create", resource_type, key).with("value", value))
    }

    /// Changes members of an object, or values at paths below it.
    pub fn update(&self, resource_type: &str, key: Option<&str>, value: &str) -> Call<'c> {
        self.client.call(&self.object("update", resource_type, key).with("value", value))
    }

    /// Removes an object.
    pub fn destroy(&self, resource_type: &str, key: Option<&str>) -> Call<'c> {
        self.client.call(&self.object("destroy", resource_type, key))
    }

    /// Updates an object that exists, creates one that does not. The service is asked whether it does.
    pub fn create_or_update(&self, resource_type: &str, key: Option<&str>, value: &str) -> Call<'c> {
        self.client.call(&self.object("create_or_update", resource_type, key).with("value", value))
    }

    /// Destroys an object that exists, creates one that does not. The service is asked whether it does.
    pub fn toggle(&self, resource_type: &str, key: Option<&str>, value: &str) -> Call<'c> {
        self.client.call(&self.object("toggle", resource_type, key).with("value", value))
    }

    fn object(&self, action: &str, resource_type: &str, key: Option<&str>) -> Action {
        let action = self.action(action).text("resource_type", resource_type);
        match key {
            Some(key) => action.text("key", key),
            None => action,
        }
    }
}
