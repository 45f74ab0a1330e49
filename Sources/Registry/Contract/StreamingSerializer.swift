package import PatchbayJSON
import PatchbayPlatform

/// A serializer whose value is a list of elements, and that can also give them one by one, while the bytes arrive.
///
/// What has to be written is the parser: it is handed the body piece by piece, and a whole body is one piece. In a stream it runs
/// on the side of whoever reads the elements, never on the transport's thread.
public protocol StreamingSerializer<Element>: ResponseSerializer where Output == [Element] {
    /// What it gives one by one.
    associatedtype Element: Sendable
    /// What finds the elements in the bytes.
    associatedtype Parser: ElementParser where Parser.Element == Element

    /// A parser for the body of one response.
    ///
    /// - Parameter maximumElementBytes: how many bytes of the body one element may take. A parser that holds more of an element
    ///   throws a `FormatFailure` with code `limit`.
    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> Parser
}

/// A serializer that can make any `Decodable` of each of the elements of a body: what a stream of a type of the caller's asks for.
public protocol ElementDecodingSerializer: ResponseSerializer {
    /// A parser for the body of one response, which decodes each element as it is found.
    ///
    /// - Parameter maximumElementBytes: how many bytes of the body one element may take. A parser that holds more of an element
    ///   throws a `FormatFailure` with code `limit`.
    func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value>
}

/// A serializer whose value is the text of a body, and that gives the lines of it to a stream of `String`.
package protocol LineYieldingSerializer: ResponseSerializer where Output == String {
    /// A parser for the body of one response, whose elements are its lines without their ends.
    ///
    /// - Parameter maximumElementBytes: how many bytes of the body one line may take.
    func makeLineParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> any ElementParser<String>
}

/// Finds the elements of one body, which it is handed piece by piece.
///
/// Wherever the pieces are cut, even inside a character, the elements are the same; and what it does for a byte does not depend on
/// how many pieces came before. The conformance kit of PatchbayTesting checks both.
public protocol ElementParser<Element>: Sendable {
    /// What it finds.
    associatedtype Element: Sendable

    /// Takes the next piece of the body, and hands over each element that ends in it, in order.
    /// - Throws: where the bytes are none of the format, after the elements before them; any error will do, the manager wraps it
    ///   once and names the entry. Only the reason of a `FormatFailure` is shown, as for `ResponseSerializer.serialize`. What `emit`
    ///   throws is passed on. Nothing is called after that.
    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws

    /// The body has ended: hands over the last element, or throws where it ends inside one.
    mutating func finish(emit: (Element) throws -> Void) throws

    /// Whether the elements are over before the body is: what still comes of it is not looked at, nor waited for. The default is
    /// false.
    var isFinished: Bool { get }

    /// How many elements were passed over so far, because they could not be read and an option of the entry allows that. The
    /// default is 0.
    var skippedElements: Int { get }
}

extension ElementParser {
    public var isFinished: Bool { false }
    public var skippedElements: Int { 0 }
}

/// A parser of a format in which a stream that broke off can be asked for again, from where it was.
package protocol ResumableElementParser<Element>: ElementParser {
    /// The id of the last event whose end has come, which a request for the rest sends as `Last-Event-ID`; empty for none. A parser
    /// of the rest is given it before the first byte.
    var lastEventID: String { get set }
    /// How long to wait before that request, where the stream has said so.
    var reconnectionTime: Duration? { get }
    /// Is told of each id and each time to wait when its event ends; nil where nobody asks.
    var position: StreamPosition? { get set }
}

/// Where a stream that broke off is asked for again.
package struct StreamPlace: Sendable {
    /// The id of the last event; empty for none.
    package let lastEventID: String
    /// How long to wait before, where the stream has said so.
    package let reconnectionTime: Duration?
}

extension StreamingSerializer {
    /// All the elements of a whole body.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [Element] {
        var parser = try makeParser(head, maximumElementBytes: .max)
        return try parser.elements(of: body)
    }
}

extension ElementParser {
    /// All the elements of a whole body, by a parser that has seen nothing yet.
    package mutating func elements(of body: ResponseBody) throws -> [Element] {
        var elements: [Element] = []
        try body.withBytes { bytes in
            try parse(Span(_bytes: bytes)) { elements.append($0) }
        }
        try finish { elements.append($0) }
        return elements
    }
}

/// Why one element of a body cannot be read, and which one that is.
package struct ElementFailure: Error, Sendable {
    /// What is counted; open, so that a framing of your own can have its word.
    package struct Unit: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// Lines.
        package static let line = Unit(rawValue: "line")
        /// Server-sent events.
        package static let event = Unit(rawValue: "event")
        /// Elements of an array, or of whatever has no better word.
        package static let element = Unit(rawValue: "element")
        /// JSON texts (RFC 7464).
        package static let text = Unit(rawValue: "text")

        package var description: String { rawValue }
    }

    /// What is counted in this format.
    package let unit: Unit
    /// Which one it is, counted from 1.
    package let number: Int
    /// What was thrown when it was read, an error of the format or a `DecodingError`; nil where the element is not there, or is not
    /// all there. The line and the column of a `JSON.ParseFailure` are those in the element.
    package let cause: (any Error)?
    private let reason: String

    /// For a parser of your own: the element of that number, counted from 1, and what was thrown for it, of which as much is shown as
    /// of any error of a serializer.
    package init(_ unit: Unit, _ number: Int, _ cause: any Error) {
        self.unit = unit
        self.number = number
        self.cause = cause
        if unit == .line, let failure = cause as? JSON.ParseFailure, failure.line == 1 {
            reason = ", column \(failure.column): \(failure.message)"
        } else {
            reason = ": \(FailureReason(cause))"
        }
    }

    /// - Parameter reason: one clause, without anything out of the body.
    package init(_ unit: Unit, _ number: Int, reason: String) {
        self.unit = unit
        self.number = number
        cause = nil
        self.reason = ": \(reason)"
    }
}

extension ElementFailure: FormatFault {
    /// The format whose elements are counted so.
    private var format: String {
        switch unit {
        case .line: "ndjson"
        case .event: "server-sent-events"
        case .text: "json-seq"
        default: "json"
        }
    }

    package var formatFailure: FormatFailure {
        let (line, column) =
            unit == .line
            ? (number, (cause as? JSON.ParseFailure).flatMap { $0.line == 1 ? $0.column : nil }) : (nil, nil)
        return FormatFailure(
            self, format, .element, description, line: line, column: column, element: number,
            cause: cause.map(FormatFailure.published))
    }
}

extension ElementFailure: CustomStringConvertible, CustomReflectable {
    /// The place and the reason, as in `line 3, column 7: expected a colon after a key`.
    package var description: String { "\(unit.rawValue) \(number)\(reason)" }
    package var customMirror: Mirror { Mirror(described: self) }
}
