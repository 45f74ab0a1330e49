public import PatchbayPlatform

/// The rules of its contract that a serializer breaks, found by `checkConformance` or `checkElementConformance`.
public struct ConformanceFailure: Error, Sendable, Hashable {
    /// One sentence for each finding, with the name of the sample or the number of the value. A finding can quote the
    /// error of the serializer.
    public let findings: [String]

    package init(findings: [String]) { self.findings = findings }
}

extension ConformanceFailure: CustomStringConvertible, LocalizedError {
    /// The findings, one on each line.
    public var description: String { findings.joined(separator: "\n") }
    public var errorDescription: String? { description }
}

final class Findings: Sendable {
    private let sentences = Guarded<[String]>([])

    func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }

    func add(_ sample: ConformanceSample, _ what: String) { add("the sample \"\(sample.name)\": \(what)") }

    func check() throws(ConformanceFailure) {
        let sentences = sentences.withLock { $0 }
        if !sentences.isEmpty { throw ConformanceFailure(findings: sentences) }
    }
}
