import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Elements that an entry writes one by one.
@Suite("Elements that an entry writes", .timeLimit(.minutes(5))) struct WrittenElementsTests {
    /// Writes each element with its position, and fails at one of them.
    private struct Rows: ElementWritingSerializer {
        struct Fault: Error {}
        var failing: Int?
        let count = Shared(0)

        func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
            count.withLock { $0 += 1 }
            if position == failing { throw Fault() }
            return Data("\(position) \(type)=\(value);".utf8)
        }
    }

    private static func registry(_ rows: Rows = Rows()) throws -> SerializerRegistry {
        try TestRegistry.make().adding("rows", rows, types: ["x/rows"])
    }

    private static func stream<Element: Sendable>(_ elements: [Element], end: (any Error)? = nil)
        -> AsyncThrowingStream<
            Element, any Error
        >
    {
        AsyncThrowingStream { feed in
            for element in elements { feed.yield(element) }
            feed.finish(throwing: end)
        }
    }

    @Test("each knows how many were written before it; so do those of an array")
    func positions() async throws {
        let contents: [RequestContent] = [
            .elements(Self.stream(["a", "b", "c"]), in: "x/rows; v=1"), .value(["a", "b", "c"], in: "x/rows; v=1"),
        ]
        for content in contents {
            let (manager, stub) = try stubManager(Self.registry()) { _ in .json("1") }
            let reply = try await manager.send(SessionRequest("a", method: "POST", content: content))
            let type = try #require(reply.written?.mediaType)
            #expect(stub.requests.first?.body?.data == Data("0 \(type)=a;1 \(type)=b;2 \(type)=c;".utf8))
            #expect(stub.requests.first?.head.fields["Content-Type"] == "x/rows;v=1")
            #expect(reply.written?.entry == "rows")
        }
    }

    @Test("a redirect and a retry begin at position 0 again")
    func again() async throws {
        let rows = Rows()
        let (manager, stub) = try stubManager(Self.registry(rows)) { request in
            request.head.url.path() == "/a" ? .redirect(307, to: "/b") : .json("1")
        }
        let elements = RequestContent.elements(
            Anew { Self.stream(["a", "b"]) }, in: "x/rows", isRepeatable: true)
        _ = try await manager.send(SessionRequest("a", method: "POST", content: elements))
        let expected = Data("0 x/rows=a;1 x/rows=b;".utf8)
        #expect(stub.requests.map { $0.body?.data } == [expected, expected])
        #expect(rows.count.withLock { $0 } == 4)
    }

    @Test("a writer that throws ends the exchange before the body is whole, and no element behind is asked for")
    func failing() async throws {
        let rows = Rows(failing: 3)
        let (manager, stub) = try stubManager(Self.registry(rows)) { _ in .json("1") }
        let elements = RequestContent.elements(Self.stream(Array(0..<10)), in: "x/rows")
        let error = try #require(
            await #expect(throws: SessionError.self) {
                try await manager.send(SessionRequest("a", method: "POST", content: elements))
            })
        #expect(error.code == .writing)
        #expect(error.cause is Rows.Fault)
        #expect(
            error.description
                == "POST origin.test/a: the body was cut off: the entry rows could not write x/rows: "
                + "its serializer threw Fault")
        #expect(error.written?.candidates.map(\.description) == ["rows: failed: Fault"])
        #expect(rows.count.withLock { $0 } == 4)
        #expect(stub.requests.isEmpty)
    }

    @Test("what the sequence throws is not the writer's fault")
    func failingSequence() async throws {
        let (manager, stub) = try stubManager(Self.registry()) { _ in .json("1") }
        let elements = RequestContent.elements(Self.stream([1, 2], end: TestRegistry.Shout()), in: "x/rows")
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: "POST", content: elements))
        }
        #expect(error?.code == .unreadableContent)
        #expect(error?.cause is TestRegistry.Shout)
        #expect(error?.description == "POST origin.test/a: the content could not be read: its source threw Shout")
        #expect(error?.written?.entry == "rows")
        #expect(error?.written?.outcome == .entry)
        #expect(stub.requests.isEmpty)
    }

    @Test("a sequence that nobody writes is not begun, and can be sent elsewhere")
    func untouched() async throws {
        let (manager, stub) = try stubManager(Self.registry()) { _ in .json("1") }
        let elements = RequestContent.elements(Self.stream(["a"]), in: "x/none")
        var request = SessionRequest("a", method: "POST", content: elements)
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .noWriter)
        #expect(
            error?.reason
                == "the request was not sent: no entry writes elements of the type String as x/none; none of the 3 entries covers "
                + "this type")
        request.excluding = ["rows"]
        request.content = .elements(Self.stream(["a"]), in: "x/rows")
        let excluded = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(
            excluded?.reason
                == "the request was not sent: no entry writes elements of the type String as x/rows; asked: "
                + "rows (the request excludes it), and 2 that do not cover x/rows")
        request.excluding = []
        _ = try await manager.send(request)
        #expect(stub.requests.map { $0.body?.data } == [Data("0 x/rows=a;".utf8)])
    }

    @Test("elements that can be sent once are not tried again once some were read")
    func unrepeatable() async throws {
        var configuration = SessionConfiguration()
        configuration.interceptors = [MadeInterceptor(retry: { _, _ in .retry })]
        let (manager, stub) = try stubManager(Self.registry(), configuration: configuration) { _ in
            .json("1", status: 503)
        }
        let elements = RequestContent.elements(Self.stream(["a"]), in: "x/rows")
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: "POST", content: elements))
        }
        #expect(error?.code == .status)
        #expect(error?.reason.hasSuffix("the body of the request cannot be sent twice") == true)
        #expect(error?.written?.entry == "rows")
        #expect(stub.requests.count == 1)
    }
}
