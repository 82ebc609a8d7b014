import SyncModel
import SyncTree

// A count is read with its tag, and its sum written if the tag is still that of the value. So it is counted once, as
// long as the answer to the write of the sum arrives. When it does not, the value is read again: the same tag means
// that nothing was written, the sum that it was. With any other value nobody can say, and it is counted again. The same
// after a restart, which does not know that a sum was under way.
extension DatabaseMachine {
    /// After so many values of others in a row, a pause.
    private static let conflictLimit = 25

    /// The request of a count: what is there, or its sum.
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

    /// Takes an answer to the request of a count that says what is there; `false` for one that any write might get.
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
        // Read again after the pause: nothing is under way that may be done.
        count.isWriting = !isTooMuch
        if isTooMuch { count.conflicts = 0 }
        // What streams have told was another sum.
        pending[index].told = [:]
        pending.put([TreeWrite(path: pending[index].record.path, node: sum)], at: index)
        pending[index].count = count
        if isTooMuch { pause(index, response) } else { send(index) }
        tellAll(changedAt: [pending[index].record.path])
        return true
    }

    /// A count's request was not answered, or by an ill service: what it was to write may be written.
    func loseCount(_ index: Int) {
        guard var count = pending[index].count else { return }
        if count.isWriting { count.isUncertain = true }
        count.isWriting = false
        pending[index].count = count
    }
}
