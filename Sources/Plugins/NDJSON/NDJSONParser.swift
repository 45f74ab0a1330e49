import PatchbayRegistry

/// Finds the values of a body in which each line is a JSON text.
struct NDJSONParser<Element: Sendable>: ElementParser {
    typealias Make = @Sendable (UnsafeRawBufferPointer) throws -> Element

    private let badLines: BadElements
    private let make: Make
    private var lines: LineCollector
    private var number = 0
    private(set) var skippedElements = 0

    init(_ serializer: NDJSONResponseSerializer, _ maximumElementBytes: Int, _ make: @escaping Make) {
        badLines = serializer.badLines
        self.make = make
        // A CR is a blank to JSON, be it before an LF or elsewhere.
        lines = LineCollector(.lineFeed, limit: min(serializer.maximumLineBytes, maximumElementBytes))
    }

    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        try bytes.withUnsafeBufferPointer { bytes in
            var piece = LineCollector.Piece(UnsafeRawBufferPointer(bytes))
            while let line = try lines.next(in: &piece) { try read(line, emit) }
        }
    }

    mutating func finish(emit: (Element) throws -> Void) throws {
        if let line = try lines.last() { try read(line, emit) }
    }

    private mutating func read(_ line: UnsafeRawBufferPointer, _ emit: (Element) throws -> Void) throws {
        number += 1
        let text = number == 1 ? line.withoutMark : line
        guard !text.isBlank else { return }
        let element: Element
        do {
            element = try make(text)
        } catch {
            guard badLines == .skip else { throw ElementFailure(.line, number, error) }
            skippedElements += 1
            return
        }
        try emit(element)
    }
}
