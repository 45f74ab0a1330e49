package import PatchbayJSON
import PatchbayPlatform

/// A serializer whose value is an array of elements. A stream gets the elements one by one, while the bytes arrive.
///
/// You write the parser. The parser gets the body piece by piece; a whole body is one piece. In a stream the parser
/// runs on the task that reads the elements, never on the thread of the transport.
public protocol StreamingSerializer<Element>: ResponseSerializer where Output == [Element] {
    /// The type of the elements.
    associatedtype Element: Sendable
    /// The type that finds the elements in the bytes.
    associatedtype Parser: ElementParser where Parser.Element == Element

    /// A parser for the body of one response.
    ///
    /// - Parameters:
    ///   - head: the status and the fields of the response.
    ///   - maximumElementBytes: the size of the largest element, in bytes of the body. A parser that has read more
    ///     bytes of an element throws a `FormatFailure` with the code `limit`.
    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> Parser
}

/// A serializer that decodes each element of a body as any `Decodable` type, for `stream(_:of:)`.
public protocol ElementDecodingSerializer: ResponseSerializer {
    /// A parser for the body of one response, which decodes each element as it is found.
    ///
    /// - Parameters:
    ///   - type: the type of the elements.
    ///   - head: the status and the fields of the response.
    ///   - maximumElementBytes: the size of the largest element, in bytes of the body. A parser that has read more
    ///     bytes of an element throws a `FormatFailure` with the code `limit`.
    func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value>
}

/// A serializer that decodes its elements from texts of JSON. Unlike other serializers it decodes optionals, because an
/// element can be null.
package protocol JSONElementDecodingSerializer: ElementDecodingSerializer {}

/// A serializer whose value is the text of a body. A stream of `String` gets the lines of the text.
package protocol LineYieldingSerializer: ResponseSerializer where Output == String {
    /// A parser for the body of one response. Its elements are the lines, without their ends.
    ///
    /// - Parameter maximumElementBytes: the limit for one line, in bytes of the body.
    func makeLineParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> any ElementParser<String>
}

/// Finds the elements of one body, which arrives piece by piece.
///
/// The elements must not depend on where the body is cut, even inside a character. The work for a byte must not depend
/// on the number of pieces before it. The conformance kit of PatchbayTesting checks both.
public protocol ElementParser<Element>: Sendable {
    /// The type of the elements.
    associatedtype Element: Sendable

    /// Reads the next piece of the body, and gives each element that ends in it to `emit`, in order.
    /// - Throws: an error of any type if the bytes are malformed, after the elements before them. The call fails with
    ///   this error, and the decision names the entry. Only the reason of a `FormatFailure` is shown, as for
    ///   `ResponseSerializer.serialize`. Errors of `emit` are passed on. After an error, no function of the parser is
    ///   called.
    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws

    /// Ends the body: gives the last element to `emit`, or throws if the body ends inside an element.
    mutating func finish(emit: (Element) throws -> Void) throws

    /// Whether the elements have ended before the body. The rest of the body is then neither read nor awaited. The
    /// default is false.
    var isFinished: Bool { get }

    /// The number of elements that were skipped so far, because they were unreadable and an option of the entry allows
    /// that. The default is 0.
    var skippedElements: Int { get }
}

extension ElementParser {
    public var isFinished: Bool { false }
    public var skippedElements: Int { 0 }

    /// Reads a piece that is an array. `Array.span` needs macOS 26; the span of a buffer has no minimum version.
    package mutating func parse(_ bytes: [UInt8], emit: (Element) throws -> Void) throws {
        try bytes.withUnsafeBufferPointer { try parse($0.span, emit: emit) }
    }
}

/// A parser of a format whose streams can be continued by another request.
package protocol ResumableElementParser<Element>: ElementParser {
    /// The id of the last complete event, which the next request sends as `Last-Event-ID`; empty for none. The parser
    /// of the next response gets it before the first byte.
    var lastEventID: String { get set }
    /// The wait before the next request; nil if the stream has not set one.
    var reconnectionTime: Duration? { get }
    /// Whether an id of the body was ignored because no request can send it; false for a format whose ids can all be sent.
    var hasIgnoredID: Bool { get }
    /// The object that gets each id when its event ends, and each reconnection time when it is parsed; nil if nothing
    /// needs them.
    var position: StreamPosition? { get set }
}

extension ResumableElementParser {
    package var hasIgnoredID: Bool { false }
}

/// The data for the request that continues a stream.
package struct StreamPlace: Sendable {
    /// The id of the last event; empty for none.
    package let lastEventID: String
    /// The wait before the request; nil if the stream has not set one.
    package let reconnectionTime: Duration?
    /// Whether an id of the last body was ignored because no request can send it.
    package var hasIgnoredID = false
}

extension StreamingSerializer {
    /// All elements of a whole body. The limit of one element is 64 MiB, or the length of the body if that is more.
    /// - Throws: an error of the parser; `FormatFailure` with the code `limit` if the elements take more memory than
    ///   `JSON.ParseOptions.maximumSize` allows by default.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [Element] {
        let limit = max(SerializerRegistry.Policy().maximumBodyBytes, body.count)
        var parser = try makeParser(head, maximumElementBytes: limit)
        return try parser.elements(of: body)
    }
}

/// The reason that one element of a body cannot be read, with the number of the element.
package struct ElementFailure: Error, Sendable {
    package enum Unit: String, Sendable {
        case line, event
        /// Elements of an array, or elements for which the format has no other name.
        case element
        /// JSON texts (RFC 7464).
        case text
    }

    package let unit: Unit
    /// The number of the element, from 1.
    package let number: Int
    /// The error of the format, or a `DecodingError`; nil if the element is missing or incomplete. The line and the
    /// column of a `JSON.ParseFailure` count from the start of the element.
    package let cause: (any Error)?
    private let reason: String

    /// The description shows `cause` by the rules of `FailureReason`, and the column of a JSON error in a line.
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

    /// - Parameter reason: one clause that does not quote the body.
    package init(_ unit: Unit, _ number: Int, reason: String) {
        self.unit = unit
        self.number = number
        cause = nil
        self.reason = ": \(reason)"
    }
}

extension ElementFailure: FormatFault {
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
    /// The unit, its number and the reason, as in `line 3, column 7: expected a colon after a key`.
    package var description: String { "\(unit.rawValue) \(number)\(reason)" }
    package var customMirror: Mirror { Mirror(described: self) }
}
