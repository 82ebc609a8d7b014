import SyncModel

@testable import SyncEngine

/// A view that no host emptied fills itself again: its channel was deleted and made again, or left and entered again,
/// or nobody could tell what of the cache had changed.
extension Simulation {
    func noteLoaded() {
        for (_, view) in engine.shownMessages where view.isLoaded { loaded.insert(view.id) }
    }

    /// What empties a view on behalf of its host, who has to fetch again.
    func noteEmptied(by command: HostCommand) {
        switch command {
        case .post(.resetViewpoint(let id, _)), .post(.removeCollection(let id)): loaded.remove(id)
        case .call(_, .clearCache(let url)):
            for (shown, view) in engine.shownMessages where url == nil || url?.text == shown { loaded.remove(view.id) }
        case .call(_, .signOut): loaded = []
        default: break
        }
    }

    func checkRefilled() throws {
        for (url, view) in engine.shownMessages
        where loaded.contains(view.id) && !view.isLoaded && service.channel(url) != nil {
            throw Violation(description: "collection \(view.id) of \(url) was emptied and does not fill itself again")
        }
    }
}
