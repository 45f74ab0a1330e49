public import PatchbayRegistry

/// Finds the rows of one body in any charset, and makes an element of each.
public struct CSVParser<Element: Sendable>: ElementParser {
    private var text: TextPieces
    private var rows: CSVRowReader
    private let make: @Sendable (CSVRow, Int) throws -> Element

    init(_ text: TextPieces, _ rows: CSVRowReader, _ make: @escaping @Sendable (CSVRow, Int) throws -> Element) {
        self.text = text
        self.rows = rows
        self.make = make
    }

    /// - Throws: `CSVFailure`; `ElementLimitExceeded` for a row that is too long; `TextDecodingError` where the charset is not known.
    public mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        let make = make
        try bytes.withUnsafeBufferPointer { bytes in
            do {
                try text.read(bytes, &rows) { rows, text in try rows.read(text) { try emit(make($0, $1)) } }
            } catch {
                throw placed(error)
            }
        }
    }

    public mutating func finish(emit: (Element) throws -> Void) throws {
        let make = make
        do {
            try text.finish(&rows) { rows, text in try rows.read(text) { try emit(make($0, $1)) } }
        } catch {
            throw placed(error)
        }
        try rows.finish { try emit(make($0, $1)) }
    }

    /// What is malformed in its charset is so on a line, as it is in UTF-8.
    private func placed(_ error: any Error) -> any Error {
        guard let failure = error as? TextDecodingError, case .malformed = failure.reason else { return error }
        return CSVFailure(.malformedText, line: rows.line, "it is not valid \(failure.charset)")
    }
}
