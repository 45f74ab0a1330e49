import PatchbayRegistry

struct ConformanceCheck<Serializer: ResponseSerializer>: Sendable {
    let serializer: Serializer
    let findings: Findings
    let areEqual: @Sendable (Serializer.Output, Serializer.Output) -> Bool

    func run(good: [ConformanceSample], bad: [ConformanceSample]) async {
        for sample in good { await check(good: sample) }
        for sample in bad { check(bad: sample) }
        for sample in good + bad { checkBytes(sample) }
        if let head = good.first?.head ?? bad.first?.head { checkEmptyBody(head) }
    }

    private func check(good sample: ConformanceSample) async {
        if serializer.declineReason(sample.head) != nil { findings.add(sample, "it is good, and was declined") }
        let body = ResponseBody(sample.body)
        let first: Serializer.Output
        do {
            first = try serializer.serialize(body, sample.head)
        } catch {
            return findings.add(sample, "it is good, and was refused: \(error)")
        }
        guard isAnswer(first, body, sample), isAnswer(first, ResponseBody(sample.body), sample) else {
            return findings.add(sample, "it was given two different answers")
        }
        let agreed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { isAnswer(first, body, sample) } }
            return await group.allSatisfy { $0 }
        }
        if !agreed { findings.add(sample, "tasks at the same time were given different answers") }
        // The step limits a large sample to a few thousand lengths.
        for length in stride(from: 1, to: sample.body.count, by: max(1, sample.body.count / 4_096)) {
            _ = try? serializer.serialize(ResponseBody(Array(sample.body.prefix(length))), sample.head)
        }
    }

    private func isAnswer(_ first: Serializer.Output, _ body: ResponseBody, _ sample: ConformanceSample) -> Bool {
        guard let again = try? serializer.serialize(body, sample.head) else { return false }
        return areEqual(first, again)
    }

    private func check(bad sample: ConformanceSample) {
        guard serializer.declineReason(sample.head) == nil else { return }
        var sentences: Set<String> = []
        for _ in 0..<2 {
            do {
                _ = try serializer.serialize(ResponseBody(sample.body), sample.head)
                return findings.add(sample, "it is bad, and was taken")
            } catch {
                sentences.insert("\(error)")
            }
        }
        guard sentences.count == 1 else {
            return findings.add(sample, "it was refused with two different errors")
        }
        let quotes = QuoteSearch { body in
            do {
                _ = try serializer.serialize(ResponseBody(body), sample.head)
                return nil
            } catch {
                return error
            }
        }
        if quotes.finds(in: sample.body) { findings.add(sample, "its body is quoted by the error") }
    }

    /// The bytes of a body, and the readable zeroes after them, are shared by all users of the body. They must not
    /// change.
    private func checkBytes(_ sample: ConformanceSample) {
        let body = ResponseBody(sample.body)
        _ = try? serializer.serialize(body, sample.head)
        let isUnchanged = body.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return sample.body.isEmpty }
            let behind = UnsafeRawBufferPointer(start: base + bytes.count, count: 64)
            return bytes.elementsEqual(sample.body) && behind.allSatisfy { $0 == 0 }
        }
        if !isUnchanged { findings.add(sample, "its bytes were changed") }
    }

    private func checkEmptyBody(_ head: ResponseHead) {
        guard serializer.acceptsEmptyBody else { return }
        do {
            _ = try serializer.serialize(.empty, head)
        } catch {
            findings.add("it accepts empty bodies, and refused one: \(error)")
        }
    }
}
