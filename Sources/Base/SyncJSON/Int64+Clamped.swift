extension Int64 {
    /// The sum, or the end of the range that it lies behind: for numbers that came from outside.
    @inlinable
    public func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? Int64.min : Int64.max) : sum
    }

    /// The difference, or the end of the range that it lies behind.
    @inlinable
    public func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? Int64.max : Int64.min) : difference
    }
}
