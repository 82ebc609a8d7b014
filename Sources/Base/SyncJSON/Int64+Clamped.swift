extension Int64 {
    /// The sum, or the limit of the type that it exceeds: for numbers from outside.
    @inlinable
    public func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? Int64.min : Int64.max) : sum
    }

    /// The difference, or the limit of the type that it exceeds.
    @inlinable
    public func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? Int64.max : Int64.min) : difference
    }
}
