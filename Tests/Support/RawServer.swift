import PatchbayRegistry

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server on a loopback port of its own that answers each request with the bytes, waits and breaks that the test asks for.
///
/// Every connection has its own thread. A reply that does not end with `.close` or `.reset` leaves the connection open for the
/// next request. The server stops when it is released.
///
/// ```swift
/// let server = try RawServer { request in .response(body: "hello \(request.target)") }
/// let url = server.url("/x")
/// ```
public final class RawServer: Sendable {
    /// Makes the reply to one request; runs on the thread of the connection.
    public typealias Answer = @Sendable (Request) -> RawReply

    public let port: UInt16
    private let listener: Int32
    private let closing = Gate()
    private let book = Shared(RawServerBook())

    /// - Parameter readsBodies: false answers as soon as the head of a request is there and never reads its body.
    public convenience init(readsBodies: Bool = true, _ answer: @escaping Answer) throws {
        try self.init(readsBodies: readsBodies, opening: nil, answer)
    }

    /// Answers every request with the same steps.
    public convenience init(always reply: RawReply) throws {
        try self.init { _ in reply }
    }

    /// Plays the steps on each connection as soon as it is there, without reading anything, and then closes it.
    public convenience init(onConnect reply: RawReply) throws {
        try self.init(readsBodies: false, opening: reply) { _ in reply }
    }

    private init(readsBodies: Bool, opening: RawReply?, _ answer: @escaping Answer) throws {
        (listener, port) = try LoopbackSocket.listen()
        let listener = listener
        let book = book
        let closing = closing
        try TestThread.start("raw-server") {
            defer { LoopbackSocket.close(listener) }
            while let socket = LoopbackSocket.accept(listener, until: closing.descriptor) {
                guard book.withLock({ $0.open(socket) }) else { return LoopbackSocket.close(socket) }
                let connection = RawConnection(socket: socket, readsBodies: readsBodies, opening: opening, book: book)
                do {
                    try TestThread.start("raw-connection") { connection.serve(answer) }
                } catch {
                    connection.finish()
                }
            }
        }
    }

    deinit { stop() }

    /// `http://127.0.0.1:PORT` and the path, which is taken as it is.
    public func url(_ path: String = "/") -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            fatalError("the test asks for a path that no URL can have: \(path)")
        }
        return url
    }

    /// The same as text, for a request.
    public func target(_ path: String = "/") -> String { url(path).absoluteString }

    /// What has been asked so far, in the order in which the heads were complete.
    public var requests: [Request] { book.withLock(\.requests) }

    /// How many connections were accepted so far.
    public var connections: Int { book.withLock(\.accepted) }

    /// How many connections are open now.
    public var openConnections: Int { book.withLock(\.sockets.count) }

    /// Returns once at least so many requests have arrived.
    @discardableResult
    public func requests(atLeast count: Int) async -> [Request] {
        await withCheckedContinuation { continuation in
            let now = book.withLock { book -> [Request]? in
                if book.requests.count >= count || book.stopped { return book.requests }
                book.waiters.append(RawServerBook.Waiter(count: count, continuation: continuation))
                return nil
            }
            if let now { continuation.resume(returning: now) }
        }
    }

    /// Closes the port and breaks every connection; the second time has no effect.
    public func stop() {
        let (waiters, requests) = book.withLock { book -> ([RawServerBook.Waiter], [Request]) in
            guard !book.stopped else { return ([], []) }
            book.stopped = true
            defer { book.waiters = [] }
            // Within the lock, where no connection can close a socket and another file get its number.
            LoopbackSocket.shutDown(listener)
            closing.open()
            for socket in book.sockets { LoopbackSocket.shutDown(socket) }
            return (book.waiters, book.requests)
        }
        for waiter in waiters { waiter.continuation.resume(returning: requests) }
    }
}
