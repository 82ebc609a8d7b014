/// Why the failed list changed.
public enum FailedReason: String, Sendable {
    case none
    case updateResendFailed = "update_resend_failed"
    case removeResendSucceeded = "remove_resend_succeeded"
    case removeRetentionExpired = "remove_retention_expired"
    case removeExceededMaxCount = "remove_exceeded_max_count"
    case removeManualAction = "remove_manual_action"
    case removeUnknown = "remove_unknown"
}
