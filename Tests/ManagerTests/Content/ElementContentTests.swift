import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Content of many elements", .timeLimit(.minutes(5))) struct ElementContentTests {
    struct Note: Codable, Sendable {
        let id: Int
        var text = "a\nb"
        var when = Date(timeIntervalSince1970: 0)
    }

    private static let notes = [Note(id: 1), Note(id: 2, text: "")]

    private static func registry() throws -> SerializerRegistry { try TestRegistry.make(TestRegistry.formats) }

    private static func stream<Element: Sendable>(_ elements: [Element]) -> AsyncStream<Element> {
        AsyncStream { feed in
            for element in elements { feed.yield(element) }
            feed.finish()
        }
    }

    @Test("lines of JSON and JSON text sequences, of a sequence, of one that can be sent again and of an array")
    func framings() async throws {
        let notes = Self.notes
        let lines =
            #"{"id":1,"text":"a\nb","when":-978307200.0}"# + "\n" + #"{"id":2,"text":"","when":-978307200.0}"# + "\n"
        let texts = lines.split(separator: "\n").map { "\u{1E}\($0)\n" }.joined()
        let rows: [(String, RequestContent, String, String)] = [
            ("sequence", .elements(Self.stream(notes), in: .ndjson), "application/x-ndjson", lines),
            (
                "closure", .elements(Anew { Self.stream(notes) }, in: .ndjson, isRepeatable: true),
                "application/x-ndjson", lines
            ),
            ("array", .value(notes, in: .ndjson), "application/x-ndjson", lines),
            ("sequence", .elements(Self.stream(notes), in: "application/json-seq"), "application/json-seq", texts),
            (
                "closure", .elements(Anew { Self.stream(notes) }, in: "application/json-seq", isRepeatable: true),
                "application/json-seq", texts
            ),
            ("array", .value(notes, in: "application/json-seq"), "application/json-seq", texts),
            ("no element", .elements(Self.stream([Note]()), in: .ndjson), "application/x-ndjson", ""),
            ("no element at hand", .value([Note](), in: "application/json-seq"), "application/json-seq", ""),
            ("numbers", .value([1, 2], in: .ndjson), "application/x-ndjson", "1\n2\n"),
        ]
        for (name, content, type, text) in rows {
            let (manager, stub) = try stubManager(Self.registry()) { _ in .json("1") }
            _ = try await manager.send(SessionRequest("a", method: "POST", content: content))
            let sent = try #require(stub.requests.first)
            #expect(sent.head.fields["Content-Type"] == type, "\(name)")
            #expect(sent.body?.data.map { String(decoding: $0, as: UTF8.self) } == text, "\(name), \(type)")
        }
    }

    @Test("an element that cannot be encoded fails the call, and what encoding it threw is the cause")
    func unencodable() async throws {
        let rows: [(RequestContent, String)] = [
            (
                .elements(Self.stream([1, Double.nan]), in: .ndjson),
                "POST origin.test/a: the body was cut off: the entry ndjson could not write application/x-ndjson: "
                    + "a value of the type Double cannot be written at /1"
            ),
            (
                .value([1, Double.nan], in: .ndjson),
                "POST origin.test/a: the request was not sent: the entry ndjson could not write application/x-ndjson: "
                    + "a value of the type Double cannot be written at /1"
            ),
        ]
        for (content, sentence) in rows {
            let (manager, stub) = try stubManager(Self.registry()) { _ in .json("1") }
            let error = await #expect(throws: SessionError.self) {
                try await manager.send(SessionRequest("a", method: "POST", content: content))
            }
            #expect(error?.code == .writing)
            #expect(error?.description == sentence)
            #expect(error?.cause is EncodingError)
            #expect(error?.written?.outcome == .error)
            #expect(error?.written?.candidates.last?.verdict == .failed)
            #expect(stub.requests.isEmpty)
        }
    }

    @Test("a sequence is sent once: a redirect and a retry of it are errors that say so; those of a closure are not")
    func repeated() async throws {
        let chunks = Data("1\n".utf8)
        let once: [@Sendable () -> RequestContent] = [
            { .stream(Self.stream([chunks])) }, { .elements(Self.stream([1]), in: .ndjson) },
        ]
        let again: [@Sendable () -> RequestContent] = [
            { .stream(Anew { Self.stream([chunks]) }, isRepeatable: true) },
            { .elements(Anew { Self.stream([1]) }, in: .ndjson, isRepeatable: true) }, { .value([1], in: .ndjson) },
        ]
        for (index, make) in (once + again).enumerated() {
            let isOnce = index < once.count
            let (manager, stub) = try stubManager(Self.registry()) { request in
                request.head.url.path() == "/a" ? .redirect(307, to: "/b") : .json("1")
            }
            do {
                _ = try await manager.send(SessionRequest("a", method: "POST", content: make()))
                #expect(!isOnce)
                #expect(stub.requests.map { $0.body?.data } == [chunks, chunks])
            } catch {
                #expect(isOnce)
                #expect(error.code == .redirectRefused)
                #expect(
                    error.reason
                        == "the redirect of status 307 was refused: the body of the request cannot be sent twice")
            }
            var configuration = SessionConfiguration()
            configuration.interceptors = [
                MadeInterceptor(retry: { _, error in error.retries == 0 ? .retry : .doNotRetry })
            ]
            let tries = Shared(0)
            let (retrying, _) = try stubManager(Self.registry(), configuration: configuration) { _ in
                .json(
                    "1",
                    status: tries.withLock { tries in
                        tries += 1
                        return tries
                    } == 1 ? 503 : 200)
            }
            do {
                _ = try await retrying.send(SessionRequest("a", method: "POST", content: make()))
                #expect(!isOnce)
            } catch {
                #expect(isOnce)
                #expect(error.code == .status)
                #expect(
                    error.description
                        == "POST origin.test/a: the status is 503, which is not acceptable (2XX); it was not tried again, because "
                        + "the body of the request cannot be sent twice")
            }
            #expect(tries.withLock { $0 } == (isOnce ? 1 : 2))
        }
    }

    @Test("a request whose sequence was sent before fails, and says what to do; describing it takes nothing of it")
    func sentBefore() async throws {
        let (manager, stub) = try stubManager(Self.registry()) { _ in .json("1") }
        let request = SessionRequest("a", method: "POST", content: .elements(Self.stream([1]), in: .ndjson))
        #expect(request.curlDescription(includingBody: true).contains("<elements of the type Int>"))
        _ = try await manager.send(request)
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .unreadableContent)
        #expect(error?.cause == nil)
        #expect(
            error?.reason
                == "the content could not be read: its sequence was sent before, and can be sent once only (isRepeatable is "
                + "false)")
        #expect(stub.requests.count == 1)
    }

    @Test("a call that fails before anything of a sequence was read may be tried again")
    func unread() async throws {
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor(retry: { _, error in error.retries == 0 ? .retry : .doNotRetry })
        ]
        let transport = PlayedTransport { number, request, receiver throws(TransportFailure) in
            guard number == 2 else { throw TransportFailure(.refusedConnection, "the connection was refused") }
            let data = try await request.body?.collected(unless: receiver.stop).bytes
            _ = receiver.receive(status: data == Data("1\n".utf8) ? 200 : 400, fields: [:])
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try Self.registry(), transport: transport,
            configuration: configuration)
        #expect(
            try await manager.send(
                SessionRequest("a", method: "POST", content: .elements(Self.stream([1]), in: .ndjson))
            ).head.status == 200)
    }

    @Test(
        "many small elements that wait to be sent are put together, and each is there once", arguments: [1, 7, 4_096])
    func small(_ size: Int) async throws {
        let chunks = Self.stream((0..<20_000).map { Data("\($0)\n".utf8) })
        let source = SequenceSource(isRepeatable: false, chunks.pass(isRepeatable: false))
        var (text, reads) = ("", 0)
        var space = [UInt8](repeating: 0, count: 16 << 10)
        reading: while true {
            switch try space[..<size].withUnsafeMutableBytes({ try source.read(into: $0) }) {
            case .end: break reading
            case .wait(let signal): await signal.fired()
            case .bytes(let count):
                text += String(decoding: space[..<count], as: UTF8.self)
                reads += 1
            }
        }
        #expect(text == (0..<20_000).map { "\($0)\n" }.joined())
        if size == 1 { #expect(reads == text.utf8.count) }
    }
}
