public import PatchbayRegistry

/// Checks a serializer against the contract of `ResponseSerializer`.
///
/// ```swift
/// @Test func conformance() async throws {
///     try await checkConformance(
///         of: CSVSerializer(),
///         good: [ConformanceSample("two rows", text: "a,b\nc,d", contentType: "text/csv")],
///         bad: [ConformanceSample("open quote", text: "\"a", contentType: "text/csv")])
/// }
/// ```
///
/// A good sample must be accepted and give the same value each time, also from many tasks at once. Every prefix of a
/// good sample must give a value or an error. A bad sample must give an error. The error must be the same each time,
/// and its own text must not quote the body. The bytes of a body must not change. A serializer that ends the process
/// ends the test run: that is a finding too. The check works in any test library: Swift Testing and XCTest fail the
/// test with the findings that the check throws.
///
/// A quote is found however short the body is: a letter or a digit of the body is changed, and the body is refused
/// again. Text of the error that changes in the same way is a quote. A line number, or a word that the body also
/// contains by chance, is not a quote. Fewer than four digits or marks of a longer body, a coding path and the name of
/// a key don't count. Errors are checked even though error messages show only the type of most of them: code that
/// catches an error can still print the error.
/// - Throws: `ConformanceFailure` with a finding for each promise that the serializer breaks.
public func checkConformance<Serializer: ResponseSerializer>(
    of serializer: Serializer, good: [ConformanceSample], bad: [ConformanceSample]
) async throws(ConformanceFailure) where Serializer.Output: Equatable {
    try await checkConformance(of: serializer, good: good, bad: bad) { $0 == $1 }
}

/// Checks a serializer as the other `checkConformance` functions do, for an output that can't be compared with `==`.
/// - Parameters:
///   - serializer: the serializer to check.
///   - good: responses that the serializer must accept.
///   - bad: responses that the serializer must refuse.
///   - areEqual: whether two outputs are equal.
public func checkConformance<Serializer: ResponseSerializer>(
    of serializer: Serializer, good: [ConformanceSample], bad: [ConformanceSample],
    areEqual: @escaping @Sendable (Serializer.Output, Serializer.Output) -> Bool
) async throws(ConformanceFailure) {
    let findings = Findings()
    await ConformanceCheck(serializer: serializer, findings: findings, areEqual: areEqual).run(good: good, bad: bad)
    try findings.check()
}

/// Checks the types that a serializer decodes, as the other `checkConformance` functions do: decodes the samples as
/// `type`.
public func checkConformance<Value: Decodable & Equatable & Sendable>(
    of serializer: some DecodingSerializer, decoding type: Value.Type, good: [ConformanceSample],
    bad: [ConformanceSample]
) async throws(ConformanceFailure) {
    try await checkConformance(of: TypedSerializer<Value>(base: serializer), good: good, bad: bad)
}

/// A serializer of one type, made from a serializer that decodes any type.
private struct TypedSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    let base: any DecodingSerializer

    var acceptsEmptyBody: Bool { base.acceptsEmptyBody }

    func declineReason(_ head: ResponseHead) -> String? { base.declineReason(head) }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Value {
        try base.decode(Value.self, from: body, head)
    }
}

/// Checks a serializer against the contract of `RequestSerializer`.
///
/// ```swift
/// @Test func writing() async throws {
///     try await checkConformance(
///         of: CBOR(), writing: [User(name: "Ada"), User(name: "雪")], as: "application/cbor")
/// }
/// ```
///
/// Each value must give the same bytes each time, and from many tasks at once. A serializer that also reads responses
/// must read the value back, by `serialize` if its output is of this type and by `decode` if the type is `Decodable`:
/// as an equal value that gives the same bytes again. So pass values that always encode in one order, unlike a `Set` or
/// a `Dictionary`. A serializer that reads responses, but not as this type, is a finding. If a serializer only writes,
/// nothing is read back.
///
/// An error, and the reason to decline a value, must be the same each time and must not quote the value. A quote is a
/// text or a number that the value encodes, or twelve consecutive characters of it, whatever the case. Fewer than four
/// characters are not a quote, nor are keys or the coding path of an `EncodingError`. So pass values with texts that
/// your sentences do not contain.
/// - Parameters:
///   - serializer: the serializer to check.
///   - values: values that the serializer must write.
///   - type: the media type to write, and the `Content-Type` of the response when a value is read back.
///   - refused: values for which `write` must throw.
///   - declined: values for which `declineReason` must give a reason.
/// - Throws: `ConformanceFailure` with a finding for each promise that the serializer breaks.
public func checkConformance<Value: Encodable & Equatable & Sendable>(
    of serializer: some RequestSerializer, writing values: [Value], as type: MediaType,
    refusing refused: [any Encodable & Sendable] = [], declining declined: [any Encodable & Sendable] = []
) async throws(ConformanceFailure) {
    let findings = Findings()
    let check = WritingCheck<Value>(serializer, type, findings)
    for (index, value) in values.enumerated() { await check.check(value, "the value \(index + 1)") }
    for (index, value) in refused.enumerated() { check.check(refused: value, "the refused value \(index + 1)") }
    for (index, value) in declined.enumerated() { check.check(declined: value, "the declined value \(index + 1)") }
    try findings.check()
}
