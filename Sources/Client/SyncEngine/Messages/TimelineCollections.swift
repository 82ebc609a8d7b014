import SyncModel

/// The collections that show a timeline, and what their hosts ask of it.
struct TimelineCollections {
    let timeline: Timeline

    func open(_ window: MessageWindow, _ turn: inout Turn) {
        timeline.windows.open(window)
        timeline.parent.tell(window, Cause(.cache), &turn)
        timeline.resume(&turn)
    }

    func close(_ collection: CollectionID, _ turn: inout Turn) { timeline.windows.close(collection, &turn) }

    /// `isOfAll`: fetches everything newer than what the collection shows.
    func fetch(
        _ collection: CollectionID, _ direction: PageDirection, isOfAll: Bool = false, call: CallID,
        _ turn: inout Turn
    ) {
        let needsMore = timeline.windows.fetch(
            collection, direction, isOfAll: isOfAll, call: call, timeline.coverage, &turn)
        if needsMore { timeline.resume(&turn) }
    }

    func continueFetch(_ call: CallID, _ turn: inout Turn) {
        timeline.windows.continueFetch(call, timeline.coverage, &turn)
    }

    func setLimit(_ collection: CollectionID, _ limit: Int) -> CollectionInfo? {
        timeline.windows.setLimit(collection, limit)
    }

    func start(_ collection: CollectionID, call: CallID, _ turn: inout Turn) {
        if timeline.windows.start(collection, call: call, timeline.coverage, &turn) { timeline.resume(&turn) }
    }

    /// Ends a fetch or a start with what has been shown. `false` when no such call waits.
    func end(
        _ call: CallID, _ status: Status, short: Completion.ShortReason? = nil, _ turn: inout Turn
    ) -> Bool { timeline.windows.end(call, status, short: short, &turn) }

    func finishFetches(_ short: Completion.ShortReason, _ turn: inout Turn) {
        timeline.windows.finishFetches(short, &turn)
    }

    func resetViewpoint(_ collection: CollectionID, _ viewpoint: Int64, _ turn: inout Turn) {
        timeline.windows.resetViewpoint(collection, viewpoint, &turn)
        timeline.resume(&turn)
    }
}

extension Timeline {
    var collections: TimelineCollections { TimelineCollections(timeline: self) }
}
