import PatchbayPlatform
import TestSupport
import Testing

@testable import PatchbayJSON

/// Decoding stops between two values if a call has said that it is over, and only then.
@Suite(.timeLimit(.minutes(5))) struct InterruptionTests {
    /// What a thread works for in these tests.
    private final class Owner: Sendable {
        let isOver: Bool
        let asked = Shared(0)

        init(isOver: Bool) { self.isOver = isOver }

        func run<Value>(_ work: () throws -> Value) rethrows -> Value {
            let interruption = Interruption.begin(for: self) { owner in
                let owner = Unmanaged<Owner>.fromOpaque(owner).takeUnretainedValue()
                owner.asked.withLock { $0 += 1 }
                return owner.isOver
            }
            defer { interruption.end() }
            return try work()
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Decodes some thousand values.
        let decode: @Sendable () throws -> Void

        init<Value: Decodable & Sendable>(_ name: String, _ text: String, as type: Value.Type) {
            testDescription = name
            decode = { _ = try JSON(parsing: text).decode(type) }
        }
    }

    struct Counted: Decodable {
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd { _ = try container.decode(Int.self) }
        }
    }

    struct Nulls: Decodable {
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd { _ = try container.decodeNil() }
        }
    }

    struct Nested: Decodable {
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd { _ = try container.nestedUnkeyedContainer() }
        }
    }

    struct List<Element: Decodable & Sendable>: Decodable, Sendable { let items: [Element] }

    private static func array(_ element: (Int) -> String) -> String {
        "[" + (0..<4_000).map(element).joined(separator: ",") + "]"
    }
    private static let numbers = array(String.init)
    private static let object = "{" + (0..<4_000).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"

    static let cases: [Case] = [
        Case("integers", numbers, as: [Int].self),
        Case("small integers", array { "\($0 % 100)" }, as: [UInt8].self),
        Case("doubles", numbers, as: [Double].self),
        Case("texts", array { "\"\($0)\"" }, as: [String].self),
        Case("optionals", numbers, as: [Int?].self),
        Case("a set", numbers, as: Set<Int>.self),
        Case("arrays", array { "[\($0)]" }, as: [[Int]].self),
        Case("arrays of arrays", array { "[[\($0)]]" }, as: [[[Double]]].self),
        Case("an array in an object", "{\"items\":\(numbers)}", as: List<Int>.self),
        Case("an array in an object in an array", "[{\"items\":\(numbers)}]", as: [List<Int?>].self),
        Case("an object", object, as: [String: Int].self),
        Case("an object with keys that are numbers", object, as: [Int: Int].self),
        Case("objects", array { "{\"a\":\($0)}" }, as: [[String: Int]].self),
        Case("a type that reads the numbers", numbers, as: Counted.self),
        Case("a type that reads the nulls", array { _ in "null" }, as: Nulls.self),
        Case("a type that opens the arrays", array { _ in "[]" }, as: Nested.self),
    ]

    @Test("a call that is over stops the decoding of many values", arguments: cases)
    func isOver(_ row: Case) {
        let owner = Owner(isOver: true)
        owner.run {
            #expect(throws: CancellationError.self) { try row.decode() }
            #expect(Interruption.isNoticed)
        }
        #expect(owner.asked.withLock { $0 } == 1)
        #expect(!Interruption.isNoticed)
    }

    @Test("a call that is not over is asked now and then, and changes nothing", arguments: cases)
    func isNotOver(_ row: Case) throws {
        let owner = Owner(isOver: false)
        try owner.run {
            try row.decode()
            #expect(!Interruption.isNoticed)
        }
        #expect((3...1_000).contains(owner.asked.withLock { $0 }))
    }

    @Test("without a call, a cancelled task decodes everything", arguments: cases)
    func cancelledTask(_ row: Case) async throws {
        try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try row.decode()
        }.value
    }

    @Test("work inside other work has its own end, and the outer one counts again behind it")
    func nested() {
        let (outer, inner) = (Owner(isOver: true), Owner(isOver: false))
        outer.run {
            inner.run {
                #expect(!Interruption.isOver)
                #expect(throws: Never.self) { try Interruption.check() }
            }
            #expect(!Interruption.isNoticed)
            #expect(Interruption.isOver)
            inner.run { #expect(!Interruption.isNoticed) }
            #expect(Interruption.isNoticed)
            #expect(throws: CancellationError.self) { try Interruption.check() }
        }
        #expect(!Interruption.isOver)
        #expect(outer.asked.withLock { $0 } == 1)
        #expect(inner.asked.withLock { $0 } == 2)
    }
}
