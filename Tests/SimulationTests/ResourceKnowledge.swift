/// What the simulation remembers of the resources.
struct ResourceKnowledge {
    /// By how much counters may be wrong: what was cut off between a write and its counter, or could not be stored.
    var uncertain: Int64 = 0
}
