import PatchbayRegistry
import Testing

/// What a parser makes of a body: its elements, and how it ends.
struct ElementRun<Element: Equatable & Sendable>: Equatable {
    var elements: [Element] = []
    var failure: String?
    var skipped = 0
    var isFinished = false

    init(_ parser: some ElementParser<Element>, _ pieces: some Sequence<ArraySlice<UInt8>>) {
        self.init(erased: parser, pieces)
    }

    init(erased parser: any ElementParser<Element>, _ pieces: some Sequence<ArraySlice<UInt8>>) {
        var parser = parser
        do {
            for piece in pieces { try parser.parse(Array(piece)) { elements.append($0) } }
            try parser.finish { elements.append($0) }
        } catch {
            failure = "\(error)"
        }
        skipped = parser.skippedElements
        isFinished = parser.isFinished
    }

    /// The same for a body whole, byte by byte, and cut in two and in three at every place; issues where they differ.
    static func everySplit(
        _ body: [UInt8], _ name: String = "", sourceLocation: SourceLocation = #_sourceLocation,
        _ makeParser: () throws -> any ElementParser<Element>
    ) throws -> ElementRun {
        let whole = ElementRun(erased: try makeParser(), [body[...]])
        func check(_ pieces: [ArraySlice<UInt8>], _ how: String) throws {
            let run = ElementRun(erased: try makeParser(), pieces)
            #expect(run == whole, "\(name), \(how): \(body)", sourceLocation: sourceLocation)
        }
        try check(body.indices.map { body[$0...$0] }, "byte by byte")
        for cut in 0...body.count { try check([body[..<cut], body[cut...]], "cut at \(cut)") }
        guard body.count <= 24 else { return whole }
        for first in 0...body.count {
            for second in first...body.count {
                try check([body[..<first], body[first..<second], body[second...]], "cut at \(first) and \(second)")
            }
        }
        return whole
    }

    static func everySplit(
        _ body: String, _ name: String = "", sourceLocation: SourceLocation = #_sourceLocation,
        _ makeParser: () throws -> any ElementParser<Element>
    ) throws -> ElementRun {
        try everySplit(Array(body.utf8), name, sourceLocation: sourceLocation, makeParser)
    }
}
