import Patchbay
import PatchbayPlatform

/// A server on this machine for the responses of the demo. It serves one request for each connection, one connection at
/// a time, on its own thread.
final class DemoOrigin: Sendable {
    let port: UInt16
    /// An end of a pair of sockets, which `stop` closes; nil after that.
    private let stopper: Guarded<Int32?>

    private static let longestHead = 16_384
    private static let mostBodyPieces = 1_000

    /// Listens on a port of the loopback interface; 0 is any free port.
    init(_ answers: [DemoAnswer], port: UInt16 = 0) throws(CommandFailure) {
        let listener = socket(AF_INET, SystemCall.streamSocket, 0)
        guard listener >= 0 else { throw Self.failure() }
        var ends: [Int32] = [-1, -1]
        guard let port = Self.bindAndListen(listener, port),
            socketpair(AF_UNIX, SystemCall.streamSocket, 0, &ends) == 0
        else {
            let failure = Self.failure()
            close(listener)
            throw failure
        }
        let (stop, stopper) = (ends[0], ends[1])
        self.stopper = Guarded(stopper)
        self.port = port
        let started = BackgroundThread.start {
            while Self.isNext(listener, before: stop) {
                let connection = SystemCall.accept(listener)
                if connection < 0 && (errno == EINTR || errno == ECONNABORTED) { continue }
                guard connection >= 0 else { break }
                Self.serve(connection, answers)
                Self.drain(connection)
                close(connection)
            }
            close(listener)
            close(stop)
        }
        guard started else {
            for file in [listener, stop, stopper] { close(file) }
            throw CommandFailure(.transport, "the demo's server cannot be started: no thread is left")
        }
    }

    /// Makes the thread end, which closes the socket.
    func stop() {
        let end = stopper.withLock { stopper in
            defer { stopper = nil }
            return stopper
        }
        if let end { close(end) }
    }

    /// Waits for a connection; false if the other end of the pair was closed before one came. The pair, because only
    /// Linux wakes `accept` when the listener is shut down.
    private static func isNext(_ listener: Int32, before stop: Int32) -> Bool {
        var watched = [
            pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&watched, nfds_t(watched.count), -1) < 0 {
            guard errno == EINTR else { return false }
        }
        return watched[1].revents == 0
    }

    private static func bindAndListen(_ listener: Int32, _ port: UInt16) -> UInt16? {
        // The system can keep a named port for a while after its connections ended.
        var reuses: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_port = port.bigEndian
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                bind(listener, pointer.baseAddress, length) == 0
                    && getsockname(listener, pointer.baseAddress, &length) == 0
                    && listen(listener, 16) == 0
            }
        }
        return listens ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static func serve(_ connection: Int32, _ answers: [DemoAnswer]) {
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        guard let (method, path) = requestLine(connection) else { return }
        let answer = answers.first { $0.path == path } ?? DemoAnswer("", "").with(\.status, "404 Not Found")
        var rest = answer.response(to: method)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, SystemCall.sendsWithoutSignal)
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads the body of the request, which the demo does not use. Bytes that are unread at the close would reset the
    /// connection, and the client could lose the response.
    private static func drain(_ connection: Int32) {
        shutdown(connection, Int32(SHUT_WR))
        var chunk = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<mostBodyPieces {
            guard chunk.withUnsafeMutableBytes({ recv(connection, $0.baseAddress, $0.count, 0) }) > 0 else { return }
        }
    }

    /// Reads up to the empty line that ends the head, and returns the method and the path.
    private static func requestLine(_ connection: Int32) -> (method: String, path: String)? {
        var head: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 2_048)
        // The first bytes of a body can come with the head.
        while !head.contains([13, 10, 13, 10]) {
            let count = chunk.withUnsafeMutableBytes { recv(connection, $0.baseAddress, $0.count, 0) }
            guard count > 0, head.count + count <= longestHead else { return nil }
            head += chunk[..<count]
        }
        let words = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
        return words.count == 3 ? (String(words[0]), String(words[1])) : nil
    }

    private static func failure() -> CommandFailure {
        CommandFailure(.transport, "the demo's server cannot be started: \(SystemError.last)")
    }
}
