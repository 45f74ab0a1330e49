#if os(Linux)
    import Foundation
    import Glibc

    /// A port of loopback where connections are begun and never taken: its backlog is full.
    public struct FullListener: Sendable {
        public let port: UInt16
        private let sockets: [Int32]

        /// - Parameter address: an IPv4 or IPv6 address of loopback.
        public init(at address: String = "127.0.0.1", port: UInt16 = 0) throws {
            var hints = addrinfo()
            (hints.ai_flags, hints.ai_socktype) = (AI_NUMERICHOST, Int32(SOCK_STREAM.rawValue))
            var found: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(address, "\(port)", &hints, &found) == 0, let target = found else {
                throw POSIXError(.EADDRNOTAVAIL)
            }
            defer { freeaddrinfo(found) }
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let listener = socket(target.pointee.ai_family, kind, 0)
            guard let name = target.pointee.ai_addr, bind(listener, name, target.pointee.ai_addrlen) == 0,
                listen(listener, 0) == 0
            else {
                Glibc.close(listener)
                throw POSIXError(.EADDRINUSE)
            }
            var sockets = [listener]
            let port = Self.port(of: listener)
            name.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port = port.bigEndian }
            for _ in 0..<4 {
                let client = socket(target.pointee.ai_family, kind | Int32(SOCK_NONBLOCK.rawValue), 0)
                _ = connect(client, name, target.pointee.ai_addrlen)
                sockets.append(client)
            }
            (self.port, self.sockets) = (port, sockets)
        }

        /// The port has the same place in the names of both families.
        private static func port(of socket: Int32) -> UInt16 {
            var name = sockaddr_in6()
            var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutablePointer(to: &name) { pointer in
                _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
            }
            return UInt16(bigEndian: name.sin6_port)
        }

        /// The number of IPv4 connections of others that were begun and not taken.
        public var begun: Int {
            let own = sockets.dropFirst().map(Self.port)
            // Foundation reads one page of a file whose size is unknown.
            guard let file = fopen("/proc/net/tcp", "r") else { return 0 }
            defer { fclose(file) }
            var (line, capacity): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
            defer { free(line) }
            var count = 0
            while getline(&line, &capacity, file) > 0, let line {
                let fields = String(cString: line).split(separator: " ")
                // The state SYN_SENT.
                guard fields.count > 3, fields[3] == "02" else { continue }
                let ports = fields[1...2].map { UInt16($0.suffix(4), radix: 16) }
                if ports[1] == port, ports[0].map(own.contains) == false { count += 1 }
            }
            return count
        }

        /// Takes the connections from now on, and answers the first request of each with status 204.
        public func takeConnections() throws {
            let listener = dup(sockets[0])
            try TestThread.start("full-listener") {
                defer { LoopbackSocket.close(listener) }
                // Only Linux has this type, and there `shutdown` wakes the wait.
                while let socket = LoopbackSocket.accept(listener, until: -1) {
                    _ = try? TestThread.start("full-listener-connection") {
                        defer { LoopbackSocket.close(socket) }
                        guard LoopbackSocket.read(socket) != nil else { return }
                        _ = LoopbackSocket.write(socket, Array("HTTP/1.1 204 Late\r\n\r\n".utf8))
                        while LoopbackSocket.read(socket) != nil {}
                    }
                }
            }
        }

        public func close() {
            LoopbackSocket.shutDown(sockets[0])
            for socket in sockets { Glibc.close(socket) }
        }
    }
#endif
