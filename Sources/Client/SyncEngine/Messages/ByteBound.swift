/// Bounds the JSON that a list of messages holds: so many bytes for each row of its capacity, all of them together.
struct ByteBound {
    static let bytesPerRow = 32 << 10
    /// No fewer bytes than the list holds; counted again when they seem too many.
    private var most = 0

    /// A row of so many bytes is put into the list.
    mutating func add(_ bytes: Int) { most += bytes }

    /// How many rows a list of this capacity may keep, the first of `sizes` first.
    mutating func rows(ofCapacity capacity: Int, _ sizes: some Collection<Int>) -> Int {
        let (limit, isUnlimited) = capacity.multipliedReportingOverflow(by: ByteBound.bytesPerRow)
        guard !isUnlimited, most > limit else { return sizes.count }
        most = 0
        for (number, size) in sizes.enumerated() {
            most += size
            if most > limit { return number }
        }
        return sizes.count
    }
}
