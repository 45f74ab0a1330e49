import Foundation
import Patchbay
import PatchbayTesting
import Synchronization
import TestSupport
import Testing

/// Where a stream of events is, as its reader sees it.
@Suite(.timeLimit(.minutes(5))) struct StreamPositionTests {
    private struct Number: Decodable, Sendable, Equatable {
        let n: Int
    }

    /// A manager whose server answers with one body after the other, and then that it has no more; waits are none.
    static func manager(
        _ bodies: [[String]], type: String = "text/event-stream", observers: [any SessionObserver] = []
    ) throws -> SessionManager {
        let asked = Shared(0)
        let transport = StubTransport { _ in
            let number = asked.withLock { count in
                count += 1
                return count - 1
            }
            guard number < bodies.count else { return StubReply(status: 204) }
            return StubReply(fields: ["Content-Type": type], chunks: bodies[number].map { Data($0.utf8) })
        }
        var configuration = SessionConfiguration()
        configuration.observers = observers
        return SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: transport,
            configuration: configuration)
    }

    static var atOnce: EventReconnection {
        var reconnection = EventReconnection()
        reconnection.allowedDelays = .zero ... .zero
        return reconnection
    }

    /// What a stream says of its place: before the first element, with each element, and at the end.
    private static func ids<Element: Sendable>(_ stream: ResponseStream<Element>) async -> [String?] {
        var ids = [stream.lastEventID]
        do throws(SessionError) {
            for try await _ in stream { ids.append(stream.lastEventID) }
        } catch {
            ids.append("\(error.code)")
        }
        return ids + [stream.lastEventID]
    }

    static let rows: [(name: String, body: [String], ids: [String?])] = [
        ("events of one piece", ["id: 1\ndata: {\"n\":1}\n\nid: 2\ndata: {\"n\":2}\n\n"], ["", "1", "2", "2"]),
        (
            "a piece for each byte", "id: 1\ndata: {\"n\":1}\n\nid: 2\ndata: {\"n\":2}\n\n".map { String($0) },
            ["", "1", "2", "2"]
        ),
        (
            "an event without an id keeps the one before",
            ["data: {\"n\":1}\n\nid: 1\ndata: {\"n\":2}\n\ndata: {\"n\":3}\n\n"], ["", "", "1", "1", "1"]
        ),
        ("an id that is taken back", ["id: 1\ndata: {\"n\":1}\n\nid\ndata: {\"n\":2}\n\n"], ["", "1", "", ""]),
        ("no data before an event", ["id: 0\n\ndata: {\"n\":1}\n\n"], ["", "0", "0"]),
        ("no data behind an event", ["id: 1\ndata: {\"n\":1}\n\nid: 2\n\n"], ["", "2", "2"]),
        ("nothing but ids", ["id: 1\n\n", "id: 2\n\nid: 3\n\n"], ["", "3"]),
        (
            "nothing but ids between two events",
            ["id: 1\ndata: {\"n\":1}\n\nid: 2\n\nid: 3\n\nid: 4\ndata: {\"n\":2}\n\n"], ["", "3", "4", "4"]
        ),
        ("what is unfinished does not count", ["id: 1\ndata: {\"n\":1}\n\nid: 2\ndata: {\"n\":2}"], ["", "1", "1"]),
        ("an id with NUL is none", ["id: 1\ndata: {\"n\":1}\n\nid: 2\0\ndata: {\"n\":2}\n\n"], ["", "1", "1", "1"]),
        (
            "one with another control is none, too",
            ["id: 1\ndata: {\"n\":1}\n\nid: \u{1}\ndata: {\"n\":2}\n\nid: 2\u{7F}\n\n"], ["", "1", "1", "1"]
        ),
        ("no events", [": comment\n\n"], ["", ""]),
    ]

    @Test(
        "the id is that of the event that the reader was given last, whatever the elements are", arguments: rows.indices
    )
    func elements(_ index: Int) async throws {
        let row = Self.rows[index]
        let manager = try Self.manager([row.body, row.body, row.body])
        let events = try await manager.stream("a", of: ServerSentEvent.self)
        #expect(await Self.ids(events) == row.ids, "\(row.name)")
        #expect(await Self.ids(try await manager.stream("a", of: Number.self)) == row.ids, "\(row.name)")
        #expect(await Self.ids(try await manager.stream("a")) == row.ids, "\(row.name)")
    }

    @Test("events that are passed over count, and one that cannot be decoded does not")
    func passedOver() async throws {
        let overlay = ManifestSource.text(
            #"{"manifestVersion": 1, "plugins": [{"id": "server-sent-events", "options": {"events": ["a"], "until": "end"}}]}"#,
            name: "test")
        let body = "id: 1\nevent: a\ndata: 1\n\nid: 2\nevent: b\ndata: 2\n\nid: 3\nevent: a\ndata: x\n\n"
        let manager = try Self.manager([
            [body], ["id: 1\nevent: a\ndata: 1\n\nid: 2\nevent: a\ndata: end\n\nid: 3\n\n"],
        ])
        manager.registry = try SerializerRegistry.standard.overlaid(by: overlay)
        #expect(await Self.ids(try await manager.stream("a", of: Int.self)) == ["", "2", "serialization", "2"])
        #expect(await Self.ids(try await manager.stream("a", of: Int.self)) == ["", "2", "2"])
        // Data that are empty make no value, as servers send to keep a connection.
        let kept = try Self.manager([["id: 1\ndata: 1\n\nid: 2\ndata\n\n"]])
        #expect(await Self.ids(try await kept.stream("a", of: Int.self)) == ["", "2", "2"])
    }

    @Test(
        "elements that are no events have no place",
        arguments: ["application/x-ndjson", "application/json", "text/plain"])
    func others(_ type: String) async throws {
        let manager = try Self.manager([["1\n"]], type: type)
        var request = SessionRequest("a")
        request.headers["Last-Event-ID"] = "7"
        let stream = try await manager.stream(request, of: String.self)
        #expect(stream.lastEventID == nil)
        #expect(stream.reconnectionTime == nil)
        for try await _ in stream { #expect(stream.lastEventID == nil) }
        #expect(stream.lastEventID == nil)
    }

    @Test("lines of a body that is called an event stream are no events")
    func lines() async throws {
        let stream = try await Self.manager([["id: 1\ndata: 1\n\n"]]).stream("a", of: String.self)
        #expect(await Self.ids(stream).allSatisfy { $0 == nil })
    }

    @Test("it begins where the request says, and stays so until an event says otherwise", arguments: [true, false])
    func own(_ goesOn: Bool) async throws {
        var request = SessionRequest("a")
        request.headers["Last-Event-ID"] = "7"
        let manager = try Self.manager([["data: 1\n\nid: 8\ndata: 2\n\n"]])
        let stream = try await manager.stream(request, of: Int.self, reconnecting: goesOn ? Self.atOnce : nil)
        #expect(await Self.ids(stream) == ["7", "7", "8", "8"])
        let events = try await Self.manager([["data: 1\n\n"]]).stream(request, of: ServerSentEvent.self)
        for try await event in events { #expect(event.lastEventID == "7") }
    }

    @Test("in the responses that a stream goes on in it goes on too, and stays at the end")
    func goesOn() async throws {
        let manager = try Self.manager([
            ["id: 1\nretry: 20\ndata: 1\n\nid: 2\n\nid: 3\ndata: 2"], ["data: 3\n\nid: 4\ndata: 4\n\n"],
            ["retry: 30\n\nid: 5\n\n"],
        ])
        let stream = try await manager.stream("a", of: Int.self, reconnecting: Self.atOnce)
        #expect(stream.reconnectionTime == nil)
        var seen: [String] = []
        for try await number in stream {
            seen.append("\(number) \(stream.lastEventID ?? "-") \(stream.reconnectionTime ?? .zero)")
        }
        #expect(seen == ["1 2 0.02 seconds", "3 2 0.02 seconds", "4 4 0.02 seconds"])
        #expect(stream.lastEventID == "5")
        #expect(stream.reconnectionTime == .milliseconds(30))
        #expect(stream.head.status == 204)
    }

    @Test("a reader that is cancelled, or leaves, is where it was: what it was not given does not count")
    func cancelled() async throws {
        let body = "id: 1\ndata: 1\n\nid: 2\ndata: 2\n\nid: 3\ndata: 3\n\n"
        let stream = try await Self.manager([[body]]).stream("a", of: Int.self)
        let code = await Task { () async -> SessionError.Code? in
            var iterator = stream.makeAsyncIterator()
            do throws(SessionError) {
                #expect(try await iterator.next() == 1)
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await iterator.next()
                return nil
            } catch {
                return error.code
            }
        }.value
        #expect(code == .cancelled)
        #expect(stream.lastEventID == "1")
        let left = try await Self.manager([[body]]).stream("a", of: Int.self)
        for try await number in left where number == 2 { break }
        #expect(left.lastEventID == "2")
        var again = left.makeAsyncIterator()
        _ = try? await again.next()
        #expect(left.lastEventID == "2")
    }

    /// Asks its stream where it is while it is decoded.
    private struct Curious: Decodable, Sendable {
        static let stream = Mutex<ResponseStream<Curious>?>(nil)
        let id: String?
        let time: Duration?

        init(from decoder: any Decoder) throws {
            let stream = Self.stream.withLock { $0 }
            (id, time) = (stream?.lastEventID, stream?.reconnectionTime)
        }
    }

    @Test("whoever decodes an element may ask")
    func decoding() async throws {
        let manager = try Self.manager([["retry: 5\nid: 1\ndata: 1\n\nid: 2\ndata: 2\n\n"]])
        let stream = try await manager.stream("a", of: Curious.self)
        Curious.stream.withLock { $0 = stream }
        defer { Curious.stream.withLock { $0 = nil } }
        var ids: [String?] = []
        for try await curious in stream {
            ids.append(curious.id)
            #expect(curious.time == .milliseconds(5))
        }
        #expect(ids == ["", ""])
        #expect(stream.lastEventID == "2")
    }
}
