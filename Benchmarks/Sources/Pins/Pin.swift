import PinnedCounts

/// A piece of work whose cost is pinned: the median of three runs, in each of which it is done many times.
struct Pin {
    /// Whose instructions count.
    enum Scope: String {
        case all
        /// Those of Patchbay's own functions, with what of the Swift library is made for our types in them: what they have the
        /// runtime and the C library do is left out, and so is the program.
        case own
    }

    static let runs = 3

    let name: String
    var scope = Scope.all
    /// How often it is done in one run.
    var times = 200
    /// How many things it does each time; the cost is that of one.
    var things = 1
    let work: () -> Void

    /// Does the work so that callgrind counts each run, and prints the allocations of one thing.
    func run() {
        // Until it costs the same each time.
        for _ in 0..<50 { work() }
        var allocations: [UInt64] = []
        for _ in 0..<Self.runs {
            let before = patchbay_allocations()
            countRun()
            allocations.append(patchbay_allocations() - before)
        }
        let median = Double(allocations.sorted()[Self.runs / 2]) / Double(times * things)
        print(
            "\(name)\t\(scope)\t\(times * things)\t\(patchbay_counts_allocations() ? "\(Int(median.rounded()))" : "–")")
    }

    private func countRun() {
        var run = { for _ in 0..<times { work() } }
        withUnsafeMutablePointer(to: &run) { pointer in
            patchbay_pinned({ context in context?.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
        }
    }
}
