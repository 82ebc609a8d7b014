import SyncJSON
import SyncModel

@testable import SyncEngine

/// A view that no host emptied fills itself again: its channel was deleted and made again, or left and entered again,
/// or nobody could tell what of the cache had changed. And so does one whose first fetch came short.
extension Simulation {
    func noteLoaded() {
        for (_, view) in engine.shownMessages where view.isLoaded { loaded.insert(view.id) }
        for (_, view) in engine.shownMessages where !view.window.isEmpty { unfilled[view.id] = nil }
        for view in engine.shownChannels where !view.window.isEmpty { loaded.remove(view.id) }
    }

    /// A fetch came short: if nothing is shown, the list fills itself once the service can be asked.
    func noteShort(_ completion: Completion) {
        guard [.fetch, .fetchAllNext, .start].contains(completion.name), let short = completion.short, short != .reset,
            let id = completion.info?.collection
        else { return }
        if let list = engine.shownChannels.first(where: { $0.id == id }), !list.window.isEmpty { return }
        loaded.insert(id)
        guard let view = engine.shownMessages.first(where: { $0.window.id == id })?.window, view.window.isEmpty
        else { return }
        unfilled[id, default: []].formUnion(
            completion.name == .start ? [.previous, .next] : [fetched[completion.call] ?? .next])
    }

    /// What emptied a view on behalf of its host, who has to fetch again.
    func noteEmptied(by change: CollectionChange) {
        unfilled[change.collection] = nil
        guard change.action == .clear, [.cacheCleared, .viewpointReset].contains(change.cause.source) else { return }
        loaded.remove(change.collection)
    }

    func checkRefilled() throws {
        for (url, view) in engine.shownMessages
        where loaded.contains(view.id) && !view.isLoaded && service.channel(url) != nil {
            throw Violation(description: "collection \(view.id) of \(url) shows nothing and does not fill itself")
        }
        for (url, view) in engine.shownMessages where service.channel(url) != nil && view.window.isEmpty {
            let directions = unfilled[view.id] ?? []
            let hasMore =
                directions.contains(.previous) && view.hasPrevious || directions.contains(.next) && view.hasNext
            if hasMore { throw Violation(description: "collection \(view.id) of \(url) has more and shows nothing") }
        }
    }

    func checkListsRefilled() throws {
        for list in engine.shownChannels where loaded.contains(list.id) && list.window.isEmpty && list.hasNext {
            throw Violation(description: "channels \(list.id) shows nothing and does not fill itself")
        }
    }

    /// What the host reads of a collection does not deny what there is.
    func checkToldEnds() throws {
        guard host.isEmpty else { return }
        for (url, view) in engine.shownMessages {
            guard let info = try host.info(view.id).map({ try JSON.parse($0) }) else { continue }
            let isDenied = view.hasPrevious && info["has_previous"]?.bool == false
                || view.hasNext && info["has_next"]?.bool == false
            if isDenied { throw Violation(description: "collection \(view.id) of \(url) has more than \(info.text)") }
        }
    }

    /// What the host was told of the message that each of its threads answers.
    func checkParents() throws {
        guard host.isEmpty else { return }
        for (url, view) in engine.shownMessages where !view.filter.parentID.isEmpty && service.channel(url) != nil {
            let stored = service.ask("GET", service.path(url) + "/messages/\(view.filter.parentID)")
            // The administration sees what was before this user's history, too.
            let isSeen = (stored?["created_at"]?.int ?? 0) >= service.offset(url)
            let there = isSeen ? stored : nil
            let here = try host.parents[view.id].map { try $0.map { try JSON.parse($0) } }
            guard let here else {
                if there != nil { throw Violation(description: "thread \(view.id) is not told its parent") }
                continue
            }
            guard here?["message"]?.string == there?["message"]?.string else {
                throw Violation(
                    description: "thread \(view.id) is told the parent \(here?.text ?? "gone"), not "
                        + "\(there?.text ?? "gone")")
            }
        }
    }
}
