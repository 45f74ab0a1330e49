import PinnedCounts

/// A piece of work whose cost is pinned, done again and again until it costs the same each time.
struct Pin {
    let name: String
    let work: () -> Void

    /// Does the work once so that callgrind counts it, and prints the allocations.
    func run() {
        for _ in 0..<50 { work() }
        let before = patchbay_allocations()
        work()
        let allocations = patchbay_allocations() - before
        withoutActuallyEscaping(work) { work in
            var work = work
            withUnsafeMutablePointer(to: &work) { pointer in
                patchbay_pinned({ context in context?.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
            }
        }
        print("\(name)\t\(patchbay_counts_allocations() ? "\(allocations)" : "–")")
    }
}
