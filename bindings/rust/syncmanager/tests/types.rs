//! What may go from thread to thread is a promise of the interface.

use syncmanager::*;

fn is_send<T: Send>() {}
fn is_sync<T: Sync>() {}

macro_rules! both {
    ($($type:ty),* $(,)?) => { $(is_send::<$type>(); is_sync::<$type>();)* };
}

/// Compiles only while it holds.
#[test]
fn types_are_send_and_sync() {
    both!(
        Client,
        Events<'static>,
        ChannelCollection,
        MessageCollection,
        SearchCollection,
        SearchResult,
        SearchQuery,
        Reply,
        Event,
        EventKind,
        Change,
        Step,
        Outcome,
        Json,
        Channel,
        Message,
        Error,
        ErrorKind,
        Config,
        ChannelQuery,
        MessageFilter,
        Draft,
        Edit,
        Target,
        Viewpoint,
        ResourceContext<'static>,
        ResourceEvent,
    );
    both!(EventStream<&'static Client>, EventStream<std::sync::Arc<Client>>);
}

#[test]
fn the_library_is_of_the_crates_version() {
    assert_eq!(version(), env!("CARGO_PKG_VERSION"));
    let (major, minor) = (api_version() >> 16, api_version() & 0xffff);
    assert!(version().starts_with(&format!("{major}.{minor}.")));
}
