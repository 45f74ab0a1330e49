import PatchbayManager

/// What came of the suites, case by case and counted.
struct SuiteReport: Sendable {
    private(set) var values = 0
    private(set) var failures: [String: Int] = [:]
    private(set) var lenient: [String] = []
    /// Hangs, wrong bodies and unlisted leniencies.
    private(set) var faults: [String] = []

    mutating func add(_ suiteCase: SuiteCase, _ exchange: Exchange) {
        guard let status = exchange.record.status, exchange.code == nil else {
            guard let code = exchange.code else { return faults.append("\(suiteCase.id): ended well without a head") }
            if code == .stopped { faults.append("\(suiteCase.id): hung") }
            if code == .other { faults.append("\(suiteCase.id): failed without a kind: \(exchange.result)") }
            failures[code.rawValue, default: 0] += 1
            return
        }
        values += 1
        if let fault = Self.fault(suiteCase, status, exchange.record.body) {
            return faults.append("\(suiteCase.id): \(fault)")
        }
        guard suiteCase.asksRefusal else { return }
        lenient.append(suiteCase.id)
        if LenientCases.all[suiteCase.id] == nil {
            faults.append("\(suiteCase.id): accepted, and not listed as lenient")
        }
    }

    /// What is wrong with a response that was given as a success.
    private static func fault(_ suiteCase: SuiteCase, _ status: Int, _ body: [UInt8]) -> String? {
        guard let message = WireMessage(suiteCase.raw) else { return "accepted, and it is no response" }
        guard let expected = message.body else { return "accepted, and its body is not complete" }
        guard message.status == status, suiteCase.status ?? status == status else { return "the status is wrong" }
        if message.contentCodings.isEmpty {
            guard body == expected else { return "the body is wrong: \(body.count) bytes for \(expected.count)" }
        } else {
            guard DecodedBodies.matches(suiteCase.id, body) else { return "the decoded body is wrong" }
        }
        if let bytes = suiteCase.bodyBytes, bytes != body.count {
            return "the suite says \(bytes) bytes, not \(body.count)"
        }
        if let text = suiteCase.body, text != body { return "the suite says another body" }
        return nil
    }

    /// Excuses that nothing needs any more.
    var staleExcuses: [String] {
        LenientCases.all.keys.filter { !lenient.contains($0) && !LenientCases.oneDayRefused.contains($0) }.sorted()
    }

    var summary: String {
        let codes = failures.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let total = values + failures.values.reduce(0, +)
        return "\(total) responses: \(values) values, \(lenient.count) of them lenient and listed; failures: \(codes)"
    }
}
