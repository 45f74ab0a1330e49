#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The socket calls of the test servers, IPv4 loopback only.
enum LoopbackSocket {
    struct Failure: Error {
        let call: String
        let number: Int32
    }

    /// A listening socket and the port that the system chose for it.
    static func listen() throws -> (socket: Int32, port: UInt16) {
        #if canImport(Glibc)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard listener >= 0 else { throw Failure(call: "socket", number: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let ready = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Self.systemListen(listener)
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard ready else {
            let number = errno
            close(listener)
            throw Failure(call: "bind", number: number)
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// Whether somebody takes connections at a Unix socket: its file is there before.
    static func isListening(at path: String) -> Bool {
        #if canImport(Glibc)
            let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let client = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard client >= 0 else { return false }
        defer { close(client) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// The next connection, or nil once the listener is shut down or `stop` is readable: only Linux wakes `accept` when
    /// the listener is shut down.
    static func accept(_ listener: Int32, until stop: Int32) -> Int32? {
        var watched = [listener, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            guard poll(&watched, nfds_t(watched.count), -1) >= 0 else {
                if errno == EINTR { continue }
                return nil
            }
            guard watched[1].revents == 0 else { return nil }
            let socket = systemAccept(listener)
            if socket >= 0 {
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                var on: Int32 = 1
                setsockopt(
                    socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                #if canImport(Darwin)
                    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
                #endif
                return socket
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE: poll(nil, 0, 20)
            default: return nil
            }
        }
    }

    /// Up to 64 KiB; nil at the end of the stream or on a failure.
    static func read(_ socket: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            var result = -1
            repeat {
                result = recv(socket, buffer.baseAddress, buffer.count, 0)
            } while result < 0 && errno == EINTR
            count = max(result, 0)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Sends all of it; false where the client is gone.
    static func write(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        return bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let result = send(socket, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, flags)
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { return false }
                sent += result
            }
            return true
        }
    }

    /// Waits until `duration` is over, `gate` is open, the client closed (where `untilClosed`), or the socket is shut down.
    /// False where the connection is of no more use.
    static func wait(
        _ socket: Int32, for duration: Duration? = nil, gate: Int32 = -1, untilClosed: Bool
    ) -> Bool {
        let clock = ContinuousClock()
        let deadline = duration.map { clock.now.advanced(by: $0) }
        var watched = [
            pollfd(fd: socket, events: untilClosed ? Int16(POLLIN) : 0, revents: 0),
            pollfd(fd: gate, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            var timeout: Int32 = -1
            if let deadline {
                let left = clock.now.duration(to: deadline)
                guard left > .zero else { return true }
                timeout = Int32(clamping: left / .milliseconds(1) < 1 ? 1 : Int64(left / .milliseconds(1)))
            }
            guard poll(&watched, nfds_t(watched.count), timeout) >= 0 || errno == EINTR else {
                return false
            }
            if watched[1].revents != 0 { return true }
            if watched[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return false }
            if watched[0].revents & Int16(POLLIN) != 0 {
                var byte: UInt8 = 0
                guard recv(socket, &byte, 1, Int32(peek)) > 0 else { return false }
                watched[0].events = 0  // A byte of the next request: it stays for the reader.
            }
        }
    }

    static func shutDown(_ socket: Int32) { shutdown(socket, Int32(both)) }

    static func endSending(_ socket: Int32) { shutdown(socket, Int32(writing)) }

    /// Ends the stream, gives the client a second to read it and go, and closes; so no unread byte turns the end into a reset.
    static func closeGently(_ socket: Int32) {
        endSending(socket)
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        while read(socket) != nil {}
    }

    /// Makes the coming close a reset.
    static func resetOnClose(_ socket: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    static func close(_ socket: Int32) { systemClose(socket) }

    #if canImport(Glibc)
        private static let peek = MSG_PEEK
        private static let both = SHUT_RDWR
        private static let writing = SHUT_WR
        private static func systemListen(_ listener: Int32) -> Bool {
            Glibc.listen(listener, 1024) == 0
        }
        private static func systemAccept(_ listener: Int32) -> Int32 {
            Glibc.accept(listener, nil, nil)
        }
        private static func systemClose(_ socket: Int32) { _ = Glibc.close(socket) }
    #else
        private static let peek = MSG_PEEK
        private static let both = SHUT_RDWR
        private static let writing = SHUT_WR
        private static func systemListen(_ listener: Int32) -> Bool {
            Darwin.listen(listener, 1024) == 0
        }
        private static func systemAccept(_ listener: Int32) -> Int32 {
            Darwin.accept(listener, nil, nil)
        }
        private static func systemClose(_ socket: Int32) { _ = Darwin.close(socket) }
    #endif
}
