import PatchbayPlatform
public import PatchbayRegistry

/// Checks a serializer of elements against the contract of `StreamingSerializer`.
///
/// ```swift
/// @Test(.timeLimit(.minutes(1))) func conformance() async throws {
///     try await checkElementConformance(
///         of: LinesResponseSerializer(),
///         good: [ElementSample(ConformanceSample("two lines", text: "a\nb\n"), ["a", "b"])],
///         bad: [ElementSample(ConformanceSample("not UTF-8", [0x61, 0x0A, 0xFF, 0x0A]), ["a"])],
///         unfinished: ConformanceSample("a line without an end", text: "a"))
/// }
/// ```
///
/// The whole bodies must pass `checkConformance`. In addition:
///
/// - A good sample must give its elements, and a bad sample must give its elements and then an error: in one piece, cut
///   in two at any offset, byte by byte, and in pieces of any length, some of them empty. A long sample is not cut at
///   every offset, but at the same offsets in every run.
/// - Truncated samples, samples with a flipped bit, and random bytes must give the same elements in one piece and byte
///   by byte. Either both ways must fail, or neither of them.
/// - The parser must throw the error that `emit` throws.
/// - An element that does not end must be refused before it has twice the bytes that are allowed, but not before it has
///   a quarter of them: a parser can count the bytes in another charset.
/// - The work of a serializer must be linear in the number of bytes, however small the pieces are. Times are unreliable
///   on a busy machine, so moves are counted: after more than half of many pieces of one byte, the bytes that a parser
///   holds (arrays of bytes, `Data` or text in its stored properties) must be where they were. The element that does not
///   end is also passed as two million pieces of one byte, which takes seconds. A parser that reads all its buffered
///   bytes again for every piece takes many minutes, and exceeds the time limit of the test. So give the test a time
///   limit.
///
/// A serializer that ends the process ends the test run: that is a finding too.
///
/// - Parameters:
///   - serializer: the serializer to check.
///   - good: responses that the serializer must accept.
///   - bad: responses that the serializer must refuse.
///   - unfinished: a response whose body ends inside an element, at a position where its last byte could be repeated
///     without end. Nil if elements have no such form: in this case the test with two million pieces is left out, moves
///     are counted with the good samples, in which lengths are made larger, and the limit is tested with the good
///     samples. A sample with several elements, one of which has three bytes or more,
///     must be refused with a quarter of its length as the limit.
/// - Throws: `ConformanceFailure` with a finding for each promise that the serializer breaks.
public func checkElementConformance<Serializer: StreamingSerializer>(
    of serializer: Serializer, good: [ElementSample<Serializer.Element>], bad: [ElementSample<Serializer.Element>],
    unfinished: ConformanceSample?
) async throws(ConformanceFailure) where Serializer.Element: Equatable {
    let findings = Findings()
    await ConformanceCheck(serializer: serializer, findings: findings) { $0 == $1 }
        .run(good: good.map(\.response), bad: bad.map(\.response))
    ElementCheck(findings: findings) { try serializer.makeParser($0, maximumElementBytes: $1) }
        .run(good: good, bad: bad, unfinished: unfinished, checksQuotes: false)
    try findings.check()
}

/// Checks the elements that a serializer decodes, as the other `checkElementConformance` does: the elements of the
/// samples are of `type`.
public func checkElementConformance<Value: Decodable & Equatable & Sendable>(
    of serializer: some ElementDecodingSerializer, decoding type: Value.Type, good: [ElementSample<Value>],
    bad: [ElementSample<Value>], unfinished: ConformanceSample?
) throws(ConformanceFailure) {
    let findings = Findings()
    ElementCheck(findings: findings) { try serializer.makeParser(of: type, $0, maximumElementBytes: $1) }
        .run(good: good, bad: bad, unfinished: unfinished, checksQuotes: true)
    try findings.check()
}

/// Checks a serializer that writes elements one by one against the contract of `ElementWritingSerializer`.
///
/// The array of the elements must pass `checkConformance(of:writing:as:refusing:declining:)`. Besides, the bytes of
/// `writeElement`, element after element, must be the bytes that `write` gives for the array, and `write` must give no
/// bytes for an empty array. A `StreamingSerializer` of this element type must read the elements back, and so must an
/// `ElementDecodingSerializer` if the type is `Decodable`.
/// - Parameters:
///   - serializer: the serializer to check.
///   - elements: elements that the serializer must write.
///   - type: the media type to write, and the `Content-Type` of the response when the elements are read back.
///   - refused: elements for which `writeElement` must throw the same error each time, without quoting the element.
/// - Throws: `ConformanceFailure` with a finding for each promise that the serializer breaks.
public func checkElementConformance<Value: Encodable & Equatable & Sendable>(
    of serializer: some ElementWritingSerializer, writing elements: [Value], as type: MediaType,
    refusing refused: [any Encodable & Sendable] = []
) async throws(ConformanceFailure) {
    let findings = Findings()
    let check = WritingCheck<[Value]>(serializer, type, findings, WritingCheck.elementReaders(of: serializer, type))
    await check.check(elements, "the elements")
    for (array, name) in [(elements, "the elements"), ([], "no elements")] {
        do {
            var bytes = Data()
            for (position, element) in array.enumerated() {
                bytes += try serializer.writeElement(element, at: position, as: type)
            }
            if try serializer.write(array, as: type) != bytes {
                findings.add("\(name): written one by one, and to other bytes than as an array")
            }
        } catch {
            findings.add("\(name): written one by one, and refused: \(error)")
        }
    }
    for (index, element) in refused.enumerated() {
        check.checkRefusal(of: element, "the refused element \(index + 1)") {
            try serializer.writeElement(element, at: 0, as: type)
        }
    }
    try findings.check()
}
