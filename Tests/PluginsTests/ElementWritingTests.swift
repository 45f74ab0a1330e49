import Foundation
import PatchbayJSON
import PatchbayRegistry
import Testing

/// What `ElementWritingSerializer` does with whole values, where a conformance leaves it that.
@Suite struct ElementWritingTests {
    /// Writes the position and the JSON of each element.
    struct Numbered: ElementWritingSerializer {
        func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
            Data("\(position)=\(try JSON(encoding: value));".utf8)
        }
    }

    struct Item: Encodable, Sendable { var size = 1.0 }

    /// Encodes itself by a closure.
    struct Custom: Encodable, Sendable {
        let body: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    enum Halt: Error { case halt }

    private enum Key: CodingKey { case a }

    static let arrays: [(name: String, value: any Encodable & Sendable, text: String)] = [
        ("an array", [1, 2, 3], "0=1;1=2;2=3;"),
        ("no elements", [String](), ""),
        ("an optional array", Optional([1]), "0=1;"),
        ("nil among elements", [1, nil], "0=1;1=null;"),
        ("a set", Set(["a"]), #"0="a";"#),
        ("a contiguous array", ContiguousArray([true]), "0=true;"),
        ("arrays in an array", [[1], [2, 3]], "0=[1];1=[2,3];"),
        ("data in an array", [Data([1])], #"0="AQ==";"#),
        ("JSON", [1, ["a": 2]] as JSON, #"0=1;1={"a":2};"#),
        ("structs", [Item(), Item(size: 2)], #"0={"size":1.0};1={"size":2.0};"#),
        (
            "a type that is one array",
            Custom {
                var container = $0.singleValueContainer()
                try container.encode([1, 2])
            }, "0=1;1=2;"
        ),
        (
            "nil without a type",
            Custom {
                var container = $0.unkeyedContainer()
                try container.encodeNil()
                try container.encode("x")
            }, #"0=null;1="x";"#
        ),
    ]

    @Test("each element of an array is written, in order", arguments: arrays)
    func array(_ name: String, _ value: any Encodable & Sendable, _ text: String) throws {
        #expect(Numbered().declineReason(writing: value, as: .ndjson) == nil)
        #expect(String(decoding: try Numbered().write(value, as: .ndjson), as: UTF8.self) == text)
    }

    static let others: [(name: String, value: any Encodable & Sendable)] = [
        ("Int", 1), ("Double", 1.5), ("Bool", true), ("String", "a"), ("Data", Data([1])), ("Date", Date()),
        ("URL", URL(fileURLWithPath: "/")), ("Decimal", Decimal(1)), ("UUID", UUID()), ("Int128", Int128(1)),
        ("Optional<Array<Int>>", [Int]?.none), ("Optional<Data>", Optional(Data([1]))), ("Item", Item()),
        ("Dictionary<String, Int>", ["a": 1]), ("JSON", ["a": 1] as JSON), ("Custom", Custom { _ in }),
        (
            "Custom",
            Custom {
                _ = $0.container(keyedBy: Key.self)
                throw Halt.halt
            }
        ),
    ]

    @Test("every other value is declined, and written it is an error", arguments: others)
    func other(_ name: String, _ value: any Encodable & Sendable) {
        #expect(
            Numbered().declineReason(writing: value, as: .ndjson)
                == "it only writes arrays, and \(name) is not an array")
        #expect(throws: (any Error).self) { try Numbered().write(value, as: .ndjson) }
    }

    @Test("whether a value is an array is known at its first element")
    func probe() {
        let value = Custom {
            var container = $0.unkeyedContainer()
            try container.encode(1)
            Issue.record("the value went on behind its first element")
        }
        #expect(Numbered().declineReason(writing: value, as: .ndjson) == nil)
    }

    @Test("a value that throws before it is anything is not declined, so that its error is seen")
    func earlyError() {
        let value = Custom { _ in throw Halt.halt }
        #expect(Numbered().declineReason(writing: value, as: .ndjson) == nil)
        #expect(throws: Halt.halt) { try Numbered().write(value, as: .ndjson) }
    }

    @Test("an error half way through is that of the whole, with the index where it has a path")
    func lateError() throws {
        let failing = Custom {
            var container = $0.unkeyedContainer()
            try container.encode(1)
            throw Halt.halt
        }
        #expect(throws: Halt.halt) { try Numbered().write(failing, as: .ndjson) }
        let error = try #require(throws: EncodingError.self) {
            try Numbered().write([Item(), Item(size: .nan)], as: .ndjson)
        }
        #expect(FailureReason(error).description == "a value of the type Double cannot be written at /1/size")
    }

    /// Encodes itself as a single value, without end.
    struct Endless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    @Test("a value that encodes itself as itself is not declined, so that its error is seen")
    func endless() async {
        // In a process of its own, which would crash.
        await #expect(processExitsWith: .success) {
            try #require(Numbered().declineReason(writing: Endless(), as: .ndjson) == nil)
            let error = try #require(throws: EncodingError.self) { try Numbered().write(Endless(), as: .ndjson) }
            guard case .invalidValue(_, let context) = error else { return }
            try #require(context.debugDescription == "More than 512 values lie inside each other.")
            try #require(throws: EncodingError.self) { try Numbered().write([Endless()], as: .ndjson) }
        }
    }

    static let nested: [(name: String, value: Custom)] = [
        (
            "members",
            Custom {
                var container = $0.unkeyedContainer()
                var members = container.nestedContainer(keyedBy: Key.self)
                try members.encode(1, forKey: .a)
            }
        ),
        (
            "no members",
            Custom {
                var container = $0.unkeyedContainer()
                try container.encode(1)
                _ = container.nestedContainer(keyedBy: Key.self)
            }
        ),
        (
            "elements",
            Custom {
                var container = $0.unkeyedContainer()
                var elements = container.nestedUnkeyedContainer()
                try elements.encode(1)
            }
        ),
        (
            "a superclass",
            Custom {
                var container = $0.unkeyedContainer()
                try 1.encode(to: container.superEncoder())
            }
        ),
        (
            "two forms",
            Custom {
                var container = $0.unkeyedContainer()
                try container.encode(1)
                _ = $0.container(keyedBy: Key.self)
            }
        ),
    ]

    // By name: the test library encodes arguments itself, which ends the process for a value of two forms.
    @Test("an element in a nested container is an error, and never left out", arguments: nested.map(\.0))
    func nestedContainer(_ name: String) throws {
        let value = try #require(Self.nested.first { $0.0 == name }).1
        #expect(Numbered().declineReason(writing: value, as: .ndjson) == nil)
        #expect(throws: EncodingError.self) { try Numbered().write(value, as: .ndjson) }
    }
}
