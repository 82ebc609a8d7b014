import Foundation

/// Which seeds a test of a property runs.
public enum Seeds {
    /// The one that `SM_SEED` names; otherwise the first ones, as many as `SM_SEEDS` says, or as usual.
    public static func chosen(usual: UInt64) -> ClosedRange<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["SM_SEED"].flatMap({ UInt64($0) }) { return seed...seed }
        return 1...max(environment["SM_SEEDS"].flatMap { UInt64($0) } ?? usual, 1)
    }
}
