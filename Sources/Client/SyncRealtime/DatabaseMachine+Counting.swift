import SyncModel
import SyncTree

// For a count the value is read with its ETag, and the sum is written if the value still has that ETag. So it is
// counted once, as long as the answer to that write arrives. When the answer is lost, the value is read again: the same
// ETag means that nothing was written, and the sum means that it was. Any other value leaves that open, and it is
// counted again; so it is after a restart, which does not know that a sum was being written.
extension DatabaseMachine {
    /// After so many changes by others in a row, the count pauses.
    private static let conflictLimit = 25

    /// The next request of a count: to read the value, or to write the sum.
    func countRequest(_ write: PendingWrite) -> TransportRequest {
        let location = DatabaseLocation(write.record.path)
        guard let count = write.count, count.isWriting, let sum = count.sum else {
            var asked = request("GET", location)
            asked.headers.append(TransportHeader("X-Firebase-ETag", "true"))
            return asked
        }
        var sent = request("PUT", location, body: sum.json())
        sent.headers.append(TransportHeader("if-match", count.tag))
        return sent
    }

    /// Takes an answer to a count's request that has the value; `false` for an answer that any write may get.
    func counted(_ index: Int, _ response: TransportResponse) -> Bool {
        guard var count = pending[index].count else { return false }
        let isRead = !count.isWriting && (200..<300).contains(response.status)
        guard isRead || count.isWriting && response.status == 412 else { return false }
        let tag = response.headers.first { $0.name.lowercased() == "etag" }?.value ?? ""
        guard let node = try? TreeReader.value(response.body, at: pending[index].record.path, time: now.wall),
            !tag.isEmpty
        else {
            pending[index].count?.isWriting = false
            pause(index, response)
            return true
        }
        if count.isUncertain, tag != count.tag, node == count.sum {
            accepted(index, response.body)
            return true
        }
        guard let sum = count.added(to: node) else {
            refused(index, .sumTooLarge)
            return true
        }
        if tag != count.tag { count.isUncertain = false }
        count.conflicts = isRead ? count.conflicts : count.conflicts + 1
        count.tag = tag
        count.sum = sum
        let isTooMuch = count.conflicts >= DatabaseMachine.conflictLimit
        // After the pause it is read again; no write of the sum is in flight.
        count.isWriting = !isTooMuch
        if isTooMuch { count.conflicts = 0 }
        // The sum that streams have told was an earlier one.
        pending[index].told = [:]
        pending.put([TreeWrite(path: pending[index].record.path, node: sum)], at: index)
        pending[index].count = count
        if isTooMuch { pause(index, response) } else { send(index) }
        tellAll(changedAt: [pending[index].record.path])
        return true
    }

    /// A count's request got no answer, or an error of the service: its sum may have been written.
    func loseCount(_ index: Int) {
        guard var count = pending[index].count else { return }
        if count.isWriting { count.isUncertain = true }
        count.isWriting = false
        pending[index].count = count
    }
}
