import Foundation
import Glibc

/// A server on this machine that takes one connection after the other, reads a request and answers it as its script says.
///
/// Its threads are its own, and it holds nothing but what the script does, so that what grows is the client's.
final class LoopbackServer: Sendable {
    /// One connection, behind its request.
    struct Connection {
        fileprivate let socket: Int32

        /// False once the client is gone.
        func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { send($0) } }

        func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
            var rest = bytes
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.send(socket, start, rest.count, Int32(MSG_NOSIGNAL))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }

        /// Comes back when the client has closed the connection, or after a minute.
        func waitForClose() {
            var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            var bytes = [UInt8](repeating: 0, count: 1 << 10)
            while poll(&watched, 1, 60_000) > 0, recv(socket, &bytes, bytes.count, 0) > 0 {}
        }
    }

    typealias Script = @Sendable (Connection) -> Void

    private let listener: Int32
    let origin: URL

    init(_ script: @escaping Script) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening, let origin = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw WorkFailure("there is no port to listen on")
        }
        self.origin = origin
        Thread.detachNewThread {
            while true {
                let socket = accept(listener, nil, nil)
                if socket < 0 && errno == EINTR { continue }
                guard socket >= 0 else { return }
                Thread.detachNewThread {
                    defer { close(socket) }
                    var request: [UInt8] = []
                    var bytes = [UInt8](repeating: 0, count: 1 << 12)
                    while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                        let count = recv(socket, &bytes, bytes.count, 0)
                        guard count > 0 else { return }
                        request += bytes[..<count]
                    }
                    script(Connection(socket: socket))
                }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// What begins an answer that ends with its connection.
    static func head(_ type: String, coding: String? = nil) -> [UInt8] {
        let coding = coding.map { "Content-Encoding: \($0)\r\n" } ?? ""
        return Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(coding)Connection: close\r\n\r\n".utf8)
    }
}
