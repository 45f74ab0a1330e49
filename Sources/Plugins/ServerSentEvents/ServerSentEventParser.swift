import PatchbayJSON
import PatchbayRegistry

/// Finds the events of a stream (WHATWG HTML, section 9.2.6, "Interpreting an event stream").
struct ServerSentEventParser<Element: Sendable>: ResumableElementParser, CountingElementParser {
    /// Makes an element from an event; nil if the event has no element.
    typealias Make = @Sendable (Event) throws -> Element?

    /// A complete event. Its data is valid only while an element is made from it.
    struct Event {
        let type: String
        let data: UnsafeRawBufferPointer
        let lastEventID: String
        let retry: Duration?
    }

    /// The longest reconnection time, over 24 days. Longer times are reduced to this time.
    private static var longestRetry: Int64 { Int64(Int32.max) }
    /// The bytes of the longest id. A request sends the id back, and a request head has 1 MiB at most over libcurl.
    private static var longestID: Int { 512 << 10 }

    private let types: Set<String>?
    private let until: [UInt8]?
    private let make: Make
    private var lines: LineCollector
    private var isAtStart = true
    private(set) var isFinished = false
    private(set) var reconnectionTime: Duration?
    private(set) var hasIgnoredID = false
    var position: StreamPosition?
    var listSize: ListSize?
    /// The id that takes effect at the end of the event.
    private var id = ""
    private var endedID = ""
    /// The number of events with data so far, including events of types that `types` lacks.
    private var number = 0
    private var made = 0

    // The current event, which has not ended.
    private var type = ""
    private var retry: Duration?
    private var hasData = false
    private var data: ElementBuffer

    init(_ serializer: ServerSentEventSerializer, _ maximumElementBytes: Int, _ make: @escaping Make) {
        types = serializer.events
        until = serializer.until.map { Array($0.utf8) }
        self.make = make
        lines = LineCollector(
            endsAtReturn: true,
            limit: ElementLimit(
                serializer.maximumLineBytes, of: "its option maxLineBytes", cappedBy: maximumElementBytes))
        data = ElementBuffer(
            limit: ElementLimit(
                serializer.maximumEventBytes, of: "its option maxEventBytes", cappedBy: maximumElementBytes))
    }

    var lastEventID: String {
        get { endedID }
        set {
            id = newValue
            endedID = newValue
        }
    }

    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        try bytes.withUnsafeBufferPointer { bytes in
            var piece = LineCollector.Piece(UnsafeRawBufferPointer(bytes))
            // The data of the current event, if it is one value in this piece. It is copied only if the event goes on.
            var single: UnsafeRawBufferPointer?
            while !isFinished, var line = try lines.next(in: &piece) {
                if isAtStart {
                    isAtStart = false
                    line = line.withoutMark
                }
                if line.isEmpty { try endEvent(&single, emit) } else { try read(line, &single) }
            }
            if let single { try data.keep(single) }
        }
    }

    /// An event that is incomplete at the end of the body is dropped.
    mutating func finish(emit: (Element) throws -> Void) {}

    private mutating func read(_ line: UnsafeRawBufferPointer, _ single: inout UnsafeRawBufferPointer?) throws {
        switch line[0] {
        case UInt8(ascii: "d"): if let value = Self.value(of: "data", in: line) { try append(value, &single) }
        case UInt8(ascii: "e"):
            if let value = Self.value(of: "event", in: line) { type = String(decoding: value, as: UTF8.self) }
        case UInt8(ascii: "i"):
            guard let value = Self.value(of: "id", in: line) else { return }
            // The standard ignores ids with NUL. The field Last-Event-ID cannot hold the other controls either.
            guard value.count <= Self.longestID, value.allSatisfy({ FieldByte.isValue($0) }) else {
                hasIgnoredID = true
                return
            }
            id = String(decoding: value, as: UTF8.self)
        case UInt8(ascii: "r"):
            guard let time = Self.value(of: "retry", in: line).flatMap(Self.milliseconds) else { return }
            retry = time
            reconnectionTime = time
            position?.pass(time)
        // A comment, or an unknown field.
        default: return
        }
    }

    private mutating func append(
        _ value: UnsafeRawBufferPointer, _ single: inout UnsafeRawBufferPointer?
    ) throws(ElementLimitFailure) {
        guard !hasData else {
            if let first = single.take() { try data.keep(first) }
            try withUnsafeBytes(of: UInt8(ascii: "\n")) { byte throws(ElementLimitFailure) in try data.keep(byte) }
            return try data.keep(value)
        }
        hasData = true
        // The value is the last part of the line, so the line's memory can be moved to `data`.
        if try !lines.move(last: value.count, to: &data) { single = try data.element(endingWith: value) }
    }

    /// "Dispatch the event": emits the element of the event and prepares for the next event. It is never inlined into
    /// `parse`, which would then look up the type of an optional element in each call, even for a piece of one byte.
    @inline(never)
    private mutating func endEvent(
        _ single: inout UnsafeRawBufferPointer?, _ emit: (Element) throws -> Void
    ) throws {
        let hasID = endedID != id
        endedID = id
        defer {
            type = ""
            retry = nil
            if hasData {
                hasData = false
                data.removeAll()
            }
        }
        let element = hasData ? try makeElement(single.take() ?? data.bytes) : nil
        if element != nil { made += 1 }
        if hasID { position?.pass(id, behind: made) }
        if let element { try emit(element) }
    }

    private mutating func makeElement(_ data: UnsafeRawBufferPointer) throws -> Element? {
        number += 1
        if let until, data.elementsEqual(until) {
            isFinished = true
            return nil
        }
        let type = type.isEmpty ? "message" : type
        guard types?.contains(type) ?? true else { return nil }
        try listSize?.add(data.count)
        do {
            return try make(Event(type: type, data: data, lastEventID: id, retry: retry))
        } catch {
            let advice = "; the option until ends the stream at such an event"
            let isEnd = data.elementsEqual("[DONE]".utf8)
            throw ElementFailure(
                .event, number, isEnd ? (error as? JSON.ParseFailure)?.adding(advice) ?? error : error)
        }
    }

    /// The value of the field in the line: the bytes after the colon and one space; empty if the line has no colon. Nil
    /// if the line has another field.
    private static func value(of name: StaticString, in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let length = name.utf8CodeUnitCount
        guard line.count >= length,
            line[..<length].elementsEqual(UnsafeRawBufferPointer(start: name.utf8Start, count: length))
        else { return nil }
        guard line.count > length else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        guard line[length] == UInt8(ascii: ":") else { return nil }
        let hasBlank = line.count > length + 1 && line[length + 1] == UInt8(ascii: " ")
        return UnsafeRawBufferPointer(rebasing: line[(length + (hasBlank ? 2 : 1))...])
    }

    /// A number of milliseconds in ASCII digits; nil if `digits` is empty or contains other bytes.
    private static func milliseconds(_ digits: UnsafeRawBufferPointer) -> Duration? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            number = min(number * 10 + Int64(digit - UInt8(ascii: "0")), longestRetry)
        }
        return .milliseconds(number)
    }
}
