import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayPlugins

/// Server-sent events by the rules of WHATWG HTML, section 9.2.6, wherever the pieces are cut.
@Suite struct ServerSentEventTests {
    typealias Event = ServerSentEvent

    private let head = Sample.head("text/event-stream")

    private func parser(
        _ serializer: ServerSentEventSerializer = ServerSentEventSerializer(), limit: Int = .max
    ) throws -> any ElementParser<ServerSentEvent> {
        try serializer.makeParser(head, maximumElementBytes: limit)
    }

    static let streams: [(name: String, stream: String, events: [Event])] = [
        (
            "an event with every field", "event: a\nid: 1\nretry: 20\ndata: x\n\n",
            [Event(type: "a", data: "x", lastEventID: "1", retry: .milliseconds(20))]
        ),
        ("CRLF", "event:a\r\ndata:x\r\n\r\ndata:y\r\n\r\n", [Event(type: "a", data: "x"), Event(data: "y")]),
        ("CR", "data:x\r\rdata:y\r\r", [Event(data: "x"), Event(data: "y")]),
        ("one end of each kind", "data:x\r\n\n\rdata:y\n\r\n", [Event(data: "x"), Event(data: "y")]),
        (
            "with and without a blank, of which one is taken off", "data:x\ndata: y\ndata:  z\n\n",
            [Event(data: "x\ny\n z")]
        ),
        ("comments and unknown fields", ": c\n:\nfoo: 1\nbar\ndata: x\n\n", [Event(data: "x")]),
        ("comments alone deliver nothing", ": keep-alive\n\n:\n\n", []),
        ("an event without data is none", "event: a\nid: 7\n\ndata: x\n\n", [Event(data: "x", lastEventID: "7")]),
        ("empty data is data", "data\n\ndata:\n\n", [Event(data: ""), Event(data: "")]),
        ("an id with NUL is none", "id: 1\ndata: x\nid: 2\0\n\n", [Event(data: "x", lastEventID: "1")]),
        (
            "an id that no field can hold is none", "id: 1\ndata: x\nid: \u{1}\nid: 2\u{7F}\nid: \u{1B}[0m\n\n",
            [Event(data: "x", lastEventID: "1")]
        ),
        (
            "tab, and what is beyond ASCII, are no such controls", "id: a\tb\u{85}é\ndata: x\n\n",
            [Event(data: "x", lastEventID: "a\tb\u{85}é")]
        ),
        (
            "an id lasts until another", "id: 1\ndata: x\n\ndata: y\n\nid\ndata: z\n\n",
            [Event(data: "x", lastEventID: "1"), Event(data: "y", lastEventID: "1"), Event(data: "z")]
        ),
        (
            "a time to wait is of digits only", "retry: 1\nretry: -1\nretry: 1.5\nretry: 2 \nretry\ndata: x\n\n",
            [Event(data: "x", retry: .milliseconds(1))]
        ),
        (
            "a time to wait that is too long", "retry: 1000000000000000000000000000000\ndata: x\n\n",
            [Event(data: "x", retry: .milliseconds(2_147_483_647))]
        ),
        ("a time to wait is that of its own event", "retry: 5\n\ndata: x\n\n", [Event(data: "x")]),
        ("a mark once", "\u{FEFF}data: x\n\n\u{FEFF}data: y\n\n", [Event(data: "x")]),
        ("an unfinished event is dropped", "data: x\n\ndata: y\n", [Event(data: "x")]),
        ("an unfinished line is dropped", "data: x\n\ndata: y", [Event(data: "x")]),
        ("names are as they are written", "Data: x\ndata : y\n data: z\n\n", []),
        ("text beyond ASCII", "event: é\ndata: 日本\n\n", [Event(type: "é", data: "日本")]),
        ("nothing", "", []), ("blank lines", "\n\r\n\r\n\n", []),
    ]

    @Test("the events of a stream, for every split", arguments: streams)
    func streamIsRead(_ name: String, _ stream: String, _ events: [Event]) throws {
        let run = try ElementRun.everySplit(stream, name) { try parser() }
        #expect(run.elements == events)
        #expect(run.failure == nil)
        #expect(try ServerSentEventSerializer().serialize(Sample.body(stream), head) == events)
    }

    @Test("bytes that are not UTF-8 are replaced")
    func malformed() throws {
        let run = try ElementRun.everySplit(
            Array("data: a".utf8) + [0xE2, 0x82] + Array("\ndata: ".utf8) + [0xFF, 0x0A, 0x0A]
        ) {
            try parser()
        }
        #expect(run.elements == [Event(data: "a\u{FFFD}\n\u{FFFD}")])
    }

    @Test("a CR at the end of a piece ends the line at once, and an LF behind it is no other end")
    func carriageReturn() throws {
        var parser = try parser()
        var events: [Event] = []
        try parser.parse(Array("data: x\r\n\r".utf8)) { events.append($0) }
        #expect(events == [Event(data: "x")])
        try parser.parse(Array("\ndata: y\n\r".utf8)) { events.append($0) }
        #expect(events == [Event(data: "x"), Event(data: "y")])
    }

    static let kinds = "event: a\ndata: 1\n\ndata: 2\n\nevent: b\ndata: 3\n\n"

    @Test(
        "only the types that are named",
        arguments: [(["a"], ["1"]), (["message"], ["2"]), (["b", "a"], ["1", "3"]), (["c"], [])]
            as [(Set<String>, [String])])
    func typeCounts(_ types: Set<String>, _ data: [String]) throws {
        let run = try ElementRun.everySplit(Self.kinds) { try parser(ServerSentEventSerializer(events: types)) }
        #expect(run.elements.map(\.data) == data)
    }

    static let ends: [(stream: String, data: [String], isFinished: Bool)] = [
        ("data: 1\n\ndata: [DONE]\n\ndata: 2\n\n\0\r:", ["1"], true),
        ("data: 1\n\nevent: x\ndata: [DONE]\n\ndata: 2\n\n", ["1"], true),
        ("data: [DONE] \n\ndata: 2\n\n", ["[DONE] ", "2"], false),
        ("data: 1\n\ndata: [DONE]\n", ["1"], false),
    ]

    @Test("the event that ends the elements is none, and what follows is not read", arguments: ends)
    func until(_ stream: String, _ data: [String], _ isFinished: Bool) throws {
        let run = try ElementRun.everySplit(stream) {
            try parser(ServerSentEventSerializer(events: ["message"], until: "[DONE]"))
        }
        #expect(run.elements.map(\.data) == data)
        #expect(run.isFinished == isFinished)
        #expect(run.failure == nil)
    }

    private struct Token: Decodable, Equatable {
        let someText: String
    }

    @Test("values of a type out of the data, and events with no data are none of them")
    func decoded() throws {
        var serializer = ServerSentEventSerializer(until: "[DONE]")
        serializer.json.coding.keys = .snakeCase
        let stream = """
            data: {"some_text":
            data: "é"}

            event: ping
            data:

            : comment

            data: {"some_text": "b"}

            data: [DONE]


            """
        let run = try ElementRun.everySplit(stream) {
            try serializer.makeParser(of: Token.self, head, maximumElementBytes: .max)
        }
        #expect(run.elements == [Token(someText: "é"), Token(someText: "b")])
        #expect(run.isFinished)
        let json = try ElementRun.everySplit("data: [1]\n\ndata: 2\n\n") {
            try serializer.makeParser(of: JSON.self, head, maximumElementBytes: .max)
        }
        #expect(json.elements == [[1], 2])
    }

    private struct Text: Decodable, Equatable { let text: String }

    static let malformedData: [(name: String, data: [UInt8], text: String)] = [
        ("a byte that begins nothing", [0x61, 0xFF, 0x62], "a\u{FFFD}b"),
        ("a character that is cut off", [0x61, 0xE2, 0x82], "a\u{FFFD}"),
        ("two bytes too many", [0x80, 0x80, 0x61], "\u{FFFD}\u{FFFD}a"),
        ("a surrogate", [0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("an overlong slash", [0xC0, 0xAF], "\u{FFFD}\u{FFFD}"),
        ("no fault at all", Array("é🙂".utf8), "é🙂"),
    ]

    @Test("bytes that are not UTF-8 are replaced in values of a type as well", arguments: malformedData)
    func malformedValues(_ name: String, _ data: [UInt8], _ text: String) throws {
        let stream =
            Array("data: {\"text\":\"".utf8) + data + Array("\"}\n\ndata: {\ndata: \"text\": \"".utf8) + data
            + Array("\"}\n\ndata: {\"text\":\"last\"}\n\n".utf8)
        let run = try ElementRun.everySplit(stream, name) {
            try ServerSentEventSerializer().makeParser(of: Text.self, head, maximumElementBytes: .max)
        }
        #expect(run.elements == [Text(text: text), Text(text: text), Text(text: "last")])
        #expect(run.failure == nil)
        let json = try ElementRun.everySplit(stream, name) {
            try ServerSentEventSerializer().makeParser(of: JSON.self, head, maximumElementBytes: .max)
        }
        #expect(json.elements.map { $0["text"]?.string } == [text, text, "last"])
        let events = try ServerSentEventSerializer().serialize(ResponseBody(stream), head)
        #expect(try events.map { try JSON(parsing: $0.data)["text"]?.string } == [text, text, "last"])
    }

    @Test("a byte that is not UTF-8 outside the strings of JSON is still an error")
    func malformedOutside() throws {
        let run = try ElementRun.everySplit(Array("data: 1\n\ndata: [".utf8) + [0xFF] + Array("]\n\n".utf8)) {
            try ServerSentEventSerializer().makeParser(of: JSON.self, head, maximumElementBytes: .max)
        }
        #expect(run.elements == [1])
        #expect(run.failure == "event 2: line 1, column 2: expected a value")
    }

    @Test("data that are not of the type are an error with the number of the event, after the events before it")
    func undecodable() throws {
        let run = try ElementRun.everySplit("data: 1\n\n: 2\n\ndata: x\n\ndata: 3\n\n") {
            try ServerSentEventSerializer().makeParser(of: Int.self, head, maximumElementBytes: .max)
        }
        #expect(run.elements == [1])
        #expect(run.failure == "event 2: line 1, column 1: expected a value")
        let other = try ElementRun.everySplit("data: \"a\"\n\n") {
            try ServerSentEventSerializer().makeParser(of: Int.self, head, maximumElementBytes: .max)
        }
        #expect(other.failure == "event 1: expected Int")
    }

    static let limits: [(stream: String, lines: Int, events: Int, element: Int, count: Int, limit: String?)] = [
        ("data:12345\n\ndata:123456\n\n", 10, 99, .max, 1, "10 bytes, the limit of its option maxLineBytes"),
        ("data:12\n\ndata:1\ndata:2\ndata:3\n\n", 99, 4, .max, 1, "4 bytes, the limit of its option maxEventBytes"),
        ("data:12\n\ndata:12345\n\n", 99, 4, .max, 1, "4 bytes, the limit of its option maxEventBytes"),
        ("data:12\n\n:34567890\n\n", 99, 99, 8, 1, "8 bytes"),
        ("data:123\n\ndata:1\ndata:2\n\n", 8, 3, 8, 2, nil),
    ]

    @Test(
        "a line or an event that is too long is an error while it arrives, after the events before it",
        arguments: limits.indices)
    func limitCounts(_ index: Int) throws {
        let (stream, lines, events, element, count, limit) = Self.limits[index]
        let serializer = ServerSentEventSerializer(maximumLineBytes: lines, maximumEventBytes: events)
        let run = try ElementRun.everySplit(stream) { try parser(serializer, limit: element) }
        #expect(run.elements.count == count)
        #expect(run.failure == limit.map { "an element is longer than \($0)" })
    }

    @Test("an endless line is refused before it ends")
    func endless() throws {
        var parser = try parser()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        var pieces = 0
        let failure = #expect(throws: ElementLimitFailure.self) {
            while pieces < 1_000 {
                try parser.parse(piece) { _ in }
                pieces += 1
            }
        }
        #expect(failure?.limit == 8 << 20)
        #expect(pieces == 128)
    }

    @Test("one line of data may be as long as the data of an event may be", arguments: [true, false])
    func longLine(_ isDefault: Bool) throws {
        let serializer =
            isDefault
            ? ServerSentEventSerializer()
            : try JSON(parsing: "{}").decode(ServerSentEventOptions.self).serializer(JSONSerializer())
        #expect(serializer.maximumLineBytes == serializer.maximumEventBytes)
        var parser = try parser(serializer)
        var events = 0
        let data = [UInt8](repeating: UInt8(ascii: "x"), count: (8 << 20) - 6)
        for piece in [Array("data: ".utf8), data, Array("\n\n".utf8)] {
            try parser.parse(piece) { event in
                events += 1
                #expect(event.data.utf8.count == data.count)
            }
        }
        #expect(events == 1)
    }

    @Test("where a stream is taken up again: the last id and the time to wait, whatever is delivered")
    func resumption() throws {
        let serializer = ServerSentEventSerializer(events: ["none"])
        var parser = try #require(try parser(serializer) as? any ResumableElementParser)
        parser.lastEventID = "0"
        func parse(_ text: String) throws { try parser.parse(Array(text.utf8)) { _ in } }
        #expect(parser.reconnectionTime == nil)
        try parse("id: 1\nretry: 5\n")
        #expect(parser.lastEventID == "0", "the event has not ended")
        #expect(parser.reconnectionTime == .milliseconds(5))
        try parse("\nretry: 7\n")
        #expect(parser.lastEventID == "1")
        #expect(parser.reconnectionTime == .milliseconds(7))
        try parse("data: x\n\nid: 2\ndata: y\n")
        #expect(parser.lastEventID == "1")
        var other = try #require(try self.parser() as? any ResumableElementParser<Event>)
        other.lastEventID = "é"
        var events: [Event] = []
        try other.parse(Array("data: x\n\n".utf8)) { events.append($0) }
        #expect(events == [Event(data: "x", lastEventID: "é")])
    }

    @Test("garbage gives what a plain reading of the rules gives, for every split")
    func garbage() throws {
        var random = SplitMix(seed: 13)
        let words = [
            "data", "data:", "event:", "id:", "retry:", ":", " ", "\n", "\n", "\r", "\r\n", "\n\n", "é", "1", "\0",
            "\u{FEFF}", "\u{1}", "\t", "\u{7F}",
        ]
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }.joined()
            var body = Array(text.utf8)
            if Bool.random(using: &random), let index = body.indices.randomElement(using: &random) {
                body[index] = 0xE2
            }
            let run = try ElementRun.everySplit(body) { try parser() }
            #expect(run.elements == Self.plainReading(body), "\(body)")
        }
    }

    /// The algorithm of the standard, over the decoded text of a whole body.
    private static func plainReading(_ body: [UInt8]) -> [Event] {
        var text = Substring(String(decoding: body, as: UTF8.self)).unicodeScalars
        if text.first == "\u{FEFF}" { text.removeFirst() }
        var (events, line, event, id, type): ([Event], String.UnicodeScalarView, [String], String, String) = (
            [], .init(), [], "", ""
        )
        var retry: Duration?
        var isBehindReturn = false
        for scalar in text {
            defer { isBehindReturn = scalar == "\r" }
            if scalar == "\n", isBehindReturn { continue }
            guard scalar == "\n" || scalar == "\r" else {
                line.append(scalar)
                continue
            }
            let parts = String(line).unicodeScalars.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false
            ).map { String($0) }
            var value = (parts.count > 1 ? parts[1] : "").unicodeScalars
            if value.first == " " { value.removeFirst() }
            switch parts[0] {
            case _ where line.isEmpty:
                if !event.isEmpty {
                    events.append(
                        Event(
                            type: type.isEmpty ? "message" : type, data: event.joined(separator: "\n"), lastEventID: id,
                            retry: retry))
                }
                (event, type, retry) = ([], "", nil)
            case "data": event.append(String(value))
            case "event": type = String(value)
            case "id":
                let isControl = { (scalar: Unicode.Scalar) in scalar < " " && scalar != "\t" || scalar == "\u{7F}" }
                if !value.contains(where: isControl) { id = String(value) }
            case "retry":
                if !value.isEmpty, value.allSatisfy({ "0"..."9" ~= $0 }), let time = Int(String(value)) {
                    retry = .milliseconds(time)
                }
            default: break
            }
            line = .init()
        }
        return events
    }

    @Test func conformance() async throws {
        try await checkConformance(
            of: ServerSentEventSerializer(),
            good: Self.streams.map { ConformanceSample($0.name, text: $0.stream, contentType: "text/event-stream") },
            bad: [])
    }
}
