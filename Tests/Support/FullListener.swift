#if os(Linux)
    import Foundation
    import Glibc

    /// A port of loopback where connections are begun and never taken: its backlog is full.
    public struct FullListener: Sendable {
        public let port: UInt16
        private let sockets: [Int32]

        public init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            var sockets = [listener]
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    guard bind(listener, address, length) == 0, listen(listener, 0) == 0,
                        getsockname(listener, address, &length) == 0
                    else { throw POSIXError(.EADDRINUSE) }
                    for _ in 0..<4 {
                        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                        _ = connect(client, address, length)
                        sockets.append(client)
                    }
                }
            }
            port = UInt16(bigEndian: address.sin_port)
            self.sockets = sockets
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
