import Foundation
import PatchbayManager
import PatchbayRegistry
import Testing

@testable import PatchbayCurl

/// What one turn of libcurl may do in an order that no server can be made to cause each time: it fails an exchange that tried to share
/// a connection, and then reads the answer, or the end, that would have let it.
@Suite("Queue of connections")
struct ConnectionQueueTests {
    /// Runs the body with exchanges that have entered the queue for one connection, of a loop that nobody drives.
    ///
    /// With `settings`, each has its own, and there may be more connections.
    private static func serving(
        _ count: Int, _ settings: [ConnectionSettings]? = nil, entered expected: [Bool]? = nil,
        _ body: (inout ConnectionQueue, [Transfer]) -> Void
    ) async throws {
        let limits = CurlLimits(connections: settings == nil ? 1 : 64)
        let loop = try EventLoop(limits)
        let url = try #require(URL(string: "https://127.0.0.1:1/"))
        let requests = try (0..<count).map { number in
            var request = TransportRequest(head: RequestHead(method: "GET", url: url))
            if let settings { request.connection = settings[number] }
            return try WireRequest(request)
        }
        let transfers = requests.enumerated().map { number, request in
            Transfer(request, for: RecordingReceiver(), number: number, on: loop)
        }
        var queue = ConnectionQueue(limits, on: loop.multis[0])
        let entered = transfers.map { queue.enter($0) }
        #expect(entered == expected ?? [true] + Array(repeating: false, count: count - 1))
        body(&queue, transfers)
    }

    private static let connection = ConnectionID(remote: "127.0.0.1", 1, localPort: 2)

    /// The numbers of those that libcurl is given.
    private static func given(_ queue: inout ConnectionQueue) -> [Int] {
        var given: [Int] = []
        while let next = queue.next() { given.append(next.number) }
        return given
    }

    private static func untaken(_ queue: inout ConnectionQueue) -> [Int] { queue.takeUntaken().map(\.number) }

    @Test("An answer over HTTP/2 that comes after a try has failed allows another")
    func answer() async throws {
        try await Self.serving(3) { queue, transfers in
            queue.connect(transfers[0], Self.connection)
            let first = Self.given(&queue)
            // In one turn: the try fails, and then the answer is read.
            queue.noteHTTP2(transfers[0])
            let failed = Self.untaken(&queue)
            let second = Self.given(&queue)
            #expect((first, failed, second) == ([1], [1], [1]))
            queue.connect(transfers[1], Self.connection)
            let taken = Self.untaken(&queue)
            let third = Self.given(&queue)
            #expect((taken, third) == ([], [2]))
        }
    }

    @Test("A connection that comes free after a try has failed goes to the one that tried")
    func end() async throws {
        try await Self.serving(2) { queue, transfers in
            queue.connect(transfers[0], Self.connection)
            let first = Self.given(&queue)
            queue.leave(transfers[0])
            let failed = Self.untaken(&queue)
            let second = Self.given(&queue)
            #expect((first, failed, second) == ([1], [1], [1]))
            guard case .promised = transfers[1].place else {
                Issue.record("it only tries to share a connection, though one is free")
                return
            }
        }
    }

    @Test("An exchange waits for a first connection that it could share, and for no other")
    func otherSettings() async throws {
        let own = ConnectionSettings()
        let settings = [
            ConnectionSettings(unixSocket: "/s"), own, ConnectionSettings(address: "127.0.0.1:2"),
            ConnectionSettings(http: .http1), own,
        ]
        try await Self.serving(5, settings, entered: [true, true, true, true, false]) { _, _ in }
        try await Self.serving(2, [own, own], entered: [true, false]) { queue, transfers in
            #expect(Self.given(&queue) == [])
            queue.connect(transfers[0], Self.connection)
            #expect(Self.given(&queue) == [1])
        }
    }

    @Test("Exchanges that could share a connection and others are served in the order of their start")
    func order() async throws {
        let own = ConnectionSettings(connectionsPerHost: 1)
        let alone = ConnectionSettings(connectionsPerHost: 1, http: .http1)
        let settings = [alone, own, alone, own, own]
        try await Self.serving(5, settings, entered: [true, false, false, false, false]) { queue, transfers in
            queue.connect(transfers[0], Self.connection)
            #expect(Self.given(&queue) == [])
            queue.leave(transfers[0])
            #expect(Self.given(&queue) == [1])
            queue.connect(transfers[1], Self.connection)
            // One tries to share the connection, and comes back to its place.
            #expect(Self.given(&queue) == [3])
            #expect(Self.untaken(&queue) == [3])
            for number in 1...3 {
                queue.leave(transfers[number])
                #expect(Self.given(&queue) == [number + 1])
                queue.connect(transfers[number + 1], Self.connection)
            }
        }
    }

    @Test("A limit that an exchange raises is for those that waited before it")
    func raisedLimit() async throws {
        let shared = ConnectionSettings(connectionsPerHost: 2)
        let settings = [shared, ConnectionSettings(connectionsPerHost: 1, http: .http1), shared]
        // The last one waits for the connection of the first, which it could share.
        try await Self.serving(3, settings, entered: [true, false, false]) { queue, _ in
            #expect(Self.given(&queue) == [1])
        }
    }

    @Test("A try that libcurl refuses keeps nobody waiting")
    func refusedTry() async throws {
        let settings = [ConnectionSettings](repeating: ConnectionSettings(), count: 4)
        try await Self.serving(4, settings) { queue, transfers in
            queue.connect(transfers[0], Self.connection)
            // One tries, and the others wait for its result.
            #expect(Self.given(&queue) == [1])
            queue.leave(transfers[1], isRefused: true)
            #expect(Self.given(&queue).contains(2))
        }
    }

    @Test("A try that fails with nothing new allows no other")
    func nothingNew() async throws {
        try await Self.serving(3) { queue, transfers in
            queue.connect(transfers[0], Self.connection)
            queue.noteHTTP2(transfers[0])
            let first = Self.given(&queue)
            let failed = Self.untaken(&queue)
            let second = Self.given(&queue)
            #expect((first, failed, second) == ([1, 2], [1, 2], []))
            #expect(queue.isSettled)
        }
    }
}
