import Foundation
import SyncModel
import SyncSQLite
import SyncSendbird
import SyncSimulation

@testable import SyncEngine
@testable import SyncStore

/// One process of the device: engine, service and stores as the library joins them. The files outlive it.
final class Device {
    let core: SyncCore
    let faults = StoreFaults()
    let cache: CacheStore
    let intents: IntentStore

    /// With Sendbird's service over a network.
    convenience init(
        directory: String, options: EngineOptions, network: SimulatedNetwork, files: SimulatedFiles, now: Moment
    ) throws {
        let service = SendbirdService(
            appID: "syncmanager", userID: options.userID, apiHost: SimulatedService.apiHost,
            wsHost: SimulatedService.wsHost, libraryVersion: "simulated")
        try self.init(
            directory: directory, options: options, service: service, transport: network, files: files,
            now: now)
    }

    init(
        directory: String, options: EngineOptions, service: any ChatService, transport: any Transport,
        files: any FileLooking = NoFiles(), now: Moment
    ) throws {
        let keys = try Device.hostKey.map { try DirectoryKeys.opened(directory, $0) } ?? nil
        cache = try CacheStore(directory: directory, now: now.wall, keys)
        intents = try IntentStore(directory: directory, keys)
        if let aside = cache.setAsideAs { throw Violation(description: "the cache was set aside as \(aside)") }
        if intents.intentsLost { throw Violation(description: "the intents are lost") }
        faults.install(in: cache, intents)
        core = SyncCore(
            options: options, cache: cache, intents: intents, service: service, transport: transport,
            files: files, now: now)
    }

    /// With `SM_ENCRYPTED=1` files are encrypted, where the system has a fitting SQLCipher.
    private static let hostKey = ProcessInfo.processInfo.environment["SM_ENCRYPTED"] == "1"
        ? HostKey(digits: String(repeating: "5a", count: 32)) : nil

    /// Channels and messages in the cache, and what else is on disk: own messages, values and writes of the database.
    func held() throws -> (channels: Int64, messages: Int64, own: Int) {
        let statistics = try cache.statistics()
        let places = try cache.databaseValues.places(
            in: DatabaseInstance(url: SimulatedService.databaseHost, name: "w"), touching: "/")
        return (
            statistics.channels, statistics.messages,
            try intents.intents().count + queuedWrites.count + places.count
        )
    }

    /// Channels whose counts are not what is stored of them.
    func miscounted() throws -> [String] {
        let row = try cache.connection.prepare("SELECT key, url FROM channel ORDER BY key")
        defer { row.reset() }
        var wrong: [String] = []
        var sum: Int64 = 0
        while try row.next() {
            let usage = try cache.counts.usage(channel: row.int(0))
            let counted = try cache.counts.counted(channel: row.int(0))
            if usage?.messages != counted.messages || usage?.bytes != counted.bytes {
                wrong.append("\(row.text(1)): \(String(describing: usage)), and there are \(counted)")
            }
            sum += usage?.bytes ?? 0
        }
        if let total = cache.counts.total, total != sum { wrong.append("all together: \(total), not \(sum)") }
        return wrong
    }

    /// Channels that hold messages from before a time, themselves or in a thread.
    func channels(olderThan time: Int64) throws -> [String] {
        let row = try cache.connection.prepare("""
            SELECT url FROM channel AS c WHERE EXISTS (
                SELECT 1 FROM message WHERE ord < ?1 AND (channel = c.key OR channel IN (
                    SELECT -key FROM thread WHERE thread.channel = c.key)))
            ORDER BY url
            """).bind(time)
        defer { row.reset() }
        var urls: [String] = []
        while try row.next() { urls.append(row.text(0)) }
        return urls
    }

    /// An own message as it stands on disk.
    func storedIntent(_ requestID: String) -> Intent? {
        (try? intents.intents())?.first { $0.requestID.text == requestID }
    }

    /// Writes that the database has not answered, as they stand on disk.
    var queuedWrites: [DatabaseWrite] {
        (try? intents.databaseWrites(to: DatabaseInstance(url: SimulatedService.databaseHost, name: "w"))) ?? []
    }

    func cachedChannel(_ url: String) -> ChannelRecord? { (try? cache.channels.channel(ChannelURL(url))) ?? nil }

    func close() {
        cache.close()
        intents.close()
    }
}
