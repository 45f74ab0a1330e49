import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// How often a value is written in one call, and by whom.
@Suite("A value is written once", .timeLimit(.minutes(5))) struct WrittenOnceTests {
    private static let plugins = """
        [{ "id": "a", "factory": "a", "match": { "types": ["x/a", "x/both"] } },
         { "id": "b", "factory": "b", "match": { "types": ["x/b", "x/both"] } },
         { "id": "json", "factory": "json", "match": { "types": ["@json"] } }]
        """
    private static let hosts = """
        { "own.test": { "plugins": [{ "id": "c", "factory": "c", "match": { "types": ["x/a"] } }] },
          "typed.test": { "policy": { "requestContentType": "x/b" } },
          "origin.test/same": { "policy": { "noMatch": "error" } },
          "origin.test/own": { "plugins": [{ "id": "d", "factory": "c", "match": { "types": ["x/a"] } }] } }
        """

    private static func registry(_ log: Shared<[String]>) throws -> SerializerRegistry {
        try MarkedWriter.registry(plugins, policy: #"{ "requestContentType": "x/a" }"#, hosts: hosts, log)
    }

    private static func texts(_ stub: StubTransport) -> [String?] {
        stub.requests.map { $0.body?.data.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// An interceptor that changes the request of each try, whose numbers count from 1, and retries what has a bad status.
    private static func changing(_ change: @escaping @Sendable (Int, inout SessionRequest) -> Void)
        -> MadeInterceptor
    {
        let tries = Shared(0)
        return MadeInterceptor(
            adapt: { request in
                let number = tries.withLock { tries in
                    tries += 1
                    return tries
                }
                var request = request
                change(number, &request)
                return request
            }, retry: { _, error in error.code == .status ? .retry : .doNotRetry })
    }

    @Test("retries and redirects send the same bytes")
    func repeated() async throws {
        let log = Shared<[String]>([])
        let count = Shared(0)
        var configuration = SessionConfiguration()
        configuration.interceptors = [Self.changing { _, _ in }]
        let (manager, stub) = try stubManager(Self.registry(log), configuration: configuration) { request in
            if request.head.url.path() == "/a" { return .redirect(307, to: "http://own.test/b") }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .json("1", status: number < 3 ? 503 : 200)
        }
        try await manager.post("a", body: [1])
        #expect(Self.texts(stub) == Array(repeating: "a x/a [1]", count: 6))
        #expect(log.withLock { $0 } == ["a x/a"])
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (Int, inout SessionRequest) -> Void
        /// What was written.
        let writes: [String]
        /// What each of three tries sent: their Content-Type.
        let types: [String]

        init(
            _ name: String, _ writes: [String], _ types: [String],
            _ change: @escaping @Sendable (Int, inout SessionRequest) -> Void
        ) {
            (testDescription, self.writes, self.types, self.change) = (name, writes, types, change)
        }
    }

    static let changes = [
        Change("a field", ["a x/a"], ["x/a", "x/a", "x/a"]) { $1.headers["X-Try"] = "\($0)" },
        Change("a path", ["a x/a"], ["x/a", "x/a", "x/a"]) { $1.target = "/\($0)" },
        Change("a path whose section has the same entry", ["a x/a"], ["x/a", "x/a", "x/a"]) {
            if $0 > 1 { $1.target = "/same/\($0)" }
        },
        Change("a path whose section has another entry", ["a x/a", "c x/a"], ["x/a", "x/a", "x/a"]) {
            if $0 > 1 { $1.target = "/own/\($0)" }
        },
        Change("a host of the same section", ["a x/a"], ["x/a", "x/a", "x/a"]) { $1.target = "http://h\($0).test/" },
        Change("the same type by a field", ["a x/a"], ["x/a", "x/a", "x/a"]) {
            if $0 == 2 { $1.headers["Content-Type"] = "x/a" }
        },
        Change("another type, kept", ["a x/a", "b x/b"], ["x/a", "x/b", "x/b"]) {
            if $0 > 1 { $1.headers["Content-Type"] = "x/b" }
        },
        Change("another type, for one try", ["b x/b", "a x/a"], ["x/b", "x/a", "x/a"]) {
            if $0 == 1 { $1.headers["Content-Type"] = "x/b" }
        },
        Change("a host whose section has another entry", ["a x/a", "c x/a"], ["x/a", "x/a", "x/a"]) {
            if $0 > 1 { $1.target = "http://own.test/" }
        },
        Change("a host whose section has another type", ["a x/a", "b x/b"], ["x/a", "x/b", "x/b"]) {
            if $0 > 1 { $1.target = "http://typed.test/" }
        },
        Change("other content", ["a x/a", "a x/a", "a x/a"], ["x/a", "x/a", "x/a"]) { $1.content = .value([$0]) },
        Change("content that is not written", ["a x/a"], ["x/a", "x/raw", "x/raw"]) {
            if $0 > 1 { $1.content = .data(Data("raw".utf8), type: "x/raw") }
        },
        Change("an entry that is left out", ["a x/both", "b x/both"], ["x/both", "x/both", "x/both"]) {
            $1.headers["Content-Type"] = "x/both"
            if $0 > 1 { $1.excluding = ["a"] }
        },
    ]

    @Test("an interceptor has it written again by another type, host, content or entries alone", arguments: changes)
    func changed(_ row: Change) async throws {
        let log = Shared<[String]>([])
        var configuration = SessionConfiguration()
        configuration.interceptors = [Self.changing(row.change)]
        let count = Shared(0)
        let (manager, stub) = try stubManager(Self.registry(log), configuration: configuration) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .json("1", status: number < 3 ? 503 : 200)
        }
        let reply = try await manager.send(SessionRequest("x", body: [1]))
        #expect(log.withLock { $0 } == row.writes)
        #expect(stub.requests.map { $0.head.fields.values(for: "Content-Type") } == row.types.map { [$0] })
        // What is sent is what the type says, from the entry that the reply names.
        for (text, type) in zip(Self.texts(stub), row.types) {
            #expect(text == "raw" || text?.dropFirst(2).hasPrefix("\(type) [") == true)
        }
        #expect(
            reply.written.flatMap { $0.entry == "d" ? "c" : $0.entry }
                == (row.types.last == "x/raw" ? nil : row.writes.last.map { String($0.prefix(1)) }))
    }

    @Test("content that an interceptor took away is not sent, and no entry is named")
    func takenAway() async throws {
        let log = Shared<[String]>([])
        var configuration = SessionConfiguration()
        configuration.interceptors = [Self.changing { if $0 > 1 { $1.content = nil } }]
        let (manager, stub) = try stubManager(Self.registry(log), configuration: configuration) { request in
            .json("1", status: request.body == nil ? 200 : 503)
        }
        let reply = try await manager.send(SessionRequest("x", body: [1]))
        #expect(Self.texts(stub) == ["a x/a [1]", nil])
        #expect(stub.requests.map { $0.head.fields["Content-Type"] } == ["x/a", nil])
        #expect(reply.written == nil)
    }

    /// Writes and reads its own number.
    private struct Numbered: ResponseSerializer, RequestSerializer {
        let number: Int
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { number }
        func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data("\(number)".utf8) }
    }

    @Test("calls that are under way when the registry is swapped are written and read by the one that they began with")
    func swapped() async throws {
        let base = try TestRegistry.make(#"[{ "id": "n", "factory": "json", "match": { "types": ["@json"] } }]"#)
        let registries = try (0..<8).map { try base.replacing("n", with: Numbered(number: $0)) }
        let gate = OneShot()
        var configuration = SessionConfiguration()
        // The second try writes again, after the swap.
        configuration.interceptors = [
            MadeInterceptor(
                adapt: { request in
                    var request = request
                    request.content = .value([1])
                    return request
                }, retry: { _, error in error.code == .status ? .retry : .doNotRetry })
        ]
        let asked = Shared<Set<String>>([])
        let (manager, stub) = try stubManager(registries[0], configuration: configuration) { request in
            let isFirst = asked.withLock { $0.insert(request.head.url.lastPathComponent).inserted }
            guard isFirst else { return .json("{}") }
            await gate.fired()
            return .json("{}", status: 503)
        }
        let results = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for index in 0..<64 {
                manager.registry = registries[index % 8]
                let before = stub.requests.count
                group.addTask {
                    (index, try await manager.send(SessionRequest("\(index)", body: [index]), as: Int.self).value)
                }
                try await until { stub.requests.count > before }
            }
            manager.registry = registries[7]
            gate.fire()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 64)
        #expect(results.allSatisfy { $0.1 == $0.0 % 8 })
        let sent = stub.requests
        #expect(sent.count == 128)
        for request in sent {
            let index = try #require(Int(request.head.url.lastPathComponent))
            #expect(request.body?.data == Data("\(index % 8)".utf8))
        }
    }
}
