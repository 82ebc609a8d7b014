/// The status codes of the header: how a call was refused, and how it ended.
public enum Status: Int32, CaseIterable, Sendable {
    case ok = 0
    case invalidArgument = -1
    case invalidHandle = -2
    case invalidDocument = -3
    case closed = -4
    case reentrant = -5
    case forked = -6
    case duplicatedFetch = -7
    case locked = -8
    case storage = -9
    case newerSchema = -10
    case corruptIntents = -11
    case notConnected = -12
    case network = -13
    case service = -14
    case timeout = -15
    case notFound = -16
    case notOwnMessage = -17
    case removed = -18
    case tokenRejected = -19
    case busy = -20
    case tooManyCalls = -21
    case canceled = -22
    case tooLarge = -23
    case wrongKey = -24
    case noEncryption = -25
    case `internal` = -99
}
