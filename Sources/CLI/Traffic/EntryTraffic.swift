import Patchbay
import PatchbayTools

/// Counts logged responses for the entries that read them, and for their hosts. No table is asked: the log names the
/// entries.
struct EntryTraffic {
    struct Figures {
        /// The values that the entry made; of a host, all responses.
        fileprivate var made = 0
        /// How often the entry failed or declined; of a host, the responses without a value.
        fileprivate var failed = 0
        /// The bodies of requests that the entry wrote.
        fileprivate(set) var wrote = 0
        fileprivate var times = TrafficReader.Times()

        /// Both counts, and the milliseconds of a decoding: on average, and at most.
        var cells: [String] {
            let times = times.count == 0 ? ["-", "-"] : [times.mean, times.longest].map { "\(Self.rounded($0)) ms" }
            return [ByteCount.grouped(made), ByteCount.grouped(failed)] + times
        }

        /// The same as members of a document.
        func members(_ name: String) -> [(String, JSON)] {
            let times = [times.mean, times.longest].map { self.times.count == 0 ? .null : JSON(Self.rounded($0)) }
            return [
                (name, JSON(made)), ("failed", JSON(failed)), ("meanDecoding", times[0]), ("longestDecoding", times[1]),
            ]
        }

        private static func rounded(_ time: Double) -> Double { (time * 1000).rounded() / 1000 }
    }

    /// The most names of which figures are kept. All further names share one, which no entry and no host has.
    private static let mostNames = 10_000
    private static let others = "(all others)"
    /// The host whose responses count; nil for all.
    let host: CanonicalHost?
    private(set) var entries: [String: Figures] = [:]
    private var hosts: [String: Figures] = [:]

    init(of host: CanonicalHost?) { self.host = host }

    mutating func count(_ line: LoggedResponse, _ kind: TrafficReader.Kind) {
        guard host.map({ $0.description == line.host }) ?? true else { return }
        let made = line.outcome == .entry ? line.entry : nil
        for id in made == nil ? line.entries[...] : line.entries.dropLast() {
            Self.count(&entries, id) { $0.failed += kind.lines }
        }
        func add(_ figures: inout Figures) {
            figures.made += kind.lines
            figures.times.add(kind.times)
        }
        if let writer = line.writer { Self.count(&entries, writer) { $0.wrote += kind.lines } }
        if let made { Self.count(&entries, made, add) }
        Self.count(&hosts, line.host) {
            add(&$0)
            if line.outcome == .error { $0.failed += kind.lines }
        }
    }

    private static func count(_ all: inout [String: Figures], _ name: String, _ add: (inout Figures) -> Void) {
        add(&all[all[name] == nil && all.count >= mostNames ? others : name, default: Figures()])
    }

    /// The hosts, the one with the longest decoding on average first.
    var slowest: [(name: String, figures: Figures)] {
        hosts.map { ($0, $1) }.sorted { ($0.1.times.mean, $1.0) > ($1.1.times.mean, $0.0) }
    }
}
