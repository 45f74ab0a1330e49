import Foundation
import PatchbayManager
import TestSupport
import Testing

@testable import PatchbayCurl

/// A server of HTTP/2 over TLS whose frames the test writes. It speaks HTTP/1.1 with a client that offers nothing else.
///
/// Python ends TLS: nginx writes frames of its own, and `openssl s_server` serves one connection at a time.
final class HTTP2Server: Sendable {
    private static let program = "/usr/bin/python3"
    static let isPossible = CertificateFolder.isPossible && FileManager.default.isExecutableFile(atPath: program)
    static let absence: Comment = "needs python3 and openssl (Debian: python3, openssl)"

    /// A request over HTTP/2.
    struct Request: Sendable {
        /// The number of the connection among those with a request, from 0 on.
        let connection: Int
        /// The number of the request on its connection, from 1 on.
        let number: Int
        let stream: UInt32
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
        /// The frames of a response with status 200 and the body `ok`.
        var ok: [UInt8] { HTTP2Server.ok(stream) }

        /// A head with status 200, and one with status 103.
        var head: [UInt8] { HTTP2Server.frame(1, flags: 4, stream, [0x88]) }
        var interim: [UInt8] { HTTP2Server.frame(1, flags: 4, stream, [0x08, 3] + Array("103".utf8)) }

        func reset(_ code: ErrorCode) -> [UInt8] { HTTP2Server.frame(3, stream, HTTP2Server.bytes(code.rawValue)) }
    }

    enum ErrorCode: UInt32, Sendable {
        case none = 0
        case internalError = 2
        case refusedStream = 7
        case http11Required = 13
    }

    /// Gives the frames to send after a request; nil ends the connection.
    typealias Script = @Sendable (Request) -> [UInt8]?

    private struct Book: Sendable {
        var script: Script = { $0.ok }
        var ending = RawReply.Step.close
        var answersHeads = false
        var connections = 0
        var requests: [Request] = []
        var http1: [RawServer.Request] = []

        mutating func nextConnection() -> (connection: Int, script: Script, answersHeads: Bool) {
            defer { connections += 1 }
            return (connections, script, answersHeads && connections == 0)
        }
    }

    private let book: Shared<Book>
    private let raw: RawServer

    private init() throws {
        let book = Shared(Book())
        self.book = book
        raw = try RawServer { request in
            // The client's connection preface reads like the head of a request (RFC 9113, section 3.4).
            guard request.method == "PRI" else {
                book.withLock { $0.http1.append(request) }
                return .response(body: "ok")
            }
            let ending = book.withLock(\.ending)
            return RawReply([.converse { HTTP2Server.converse(&$0, book) }, ending])
        }
    }

    /// Runs the server until the test is over.
    static func run(_ test: (HTTP2Server) async throws -> Void) async throws {
        let server = try HTTP2Server()
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        let port = folder.url.appending(path: "port")
        try await LocalService.run(
            [program, "-c", Self.front, folder.url.path, "\(server.raw.port)"],
            until: { FileManager.default.fileExists(atPath: port.path) },
            test: {
                let url = try #require(URL(string: "https://127.0.0.1:\(String(contentsOf: port, encoding: .utf8))/"))
                let tls = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
                server.address.withLock { $0 = (url, tls, folder.path("socket")) }
                try await test(server)
            })
    }

    /// Serves HTTP/1.1 or HTTP/2, as was agreed on, behind TLS, with the certificate of a folder, where it writes its port,
    /// and makes a Unix socket.
    private static let front = """
        import os, select, socket, ssl, struct, sys, threading
        os.chdir(sys.argv[1])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("host.pem", "host.key")
        context.set_alpn_protocols(["h2", "http/1.1"])

        def serve(plain):
            try:
                with context.wrap_socket(plain, server_side=True) as tls, \\
                        socket.create_connection(("127.0.0.1", int(sys.argv[2]))) as back:
                    for end in (tls, back) if tls.family == socket.AF_INET else (back,):
                        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    while True:
                        ready = [tls] if tls.pending() else select.select([tls, back], [], [])[0]
                        if tls in ready:
                            read = tls.recv(65536)
                            if not read:
                                return
                            back.sendall(read)
                        if back in ready:
                            try:
                                read = back.recv(65536)
                            except ConnectionResetError:
                                tls.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                                return
                            if not read:
                                tls.setblocking(False)
                                tls.unwrap()
                                return
                            tls.sendall(read)
            except OSError:
                pass

        def accept(listener):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

        unix = socket.socket(socket.AF_UNIX)
        unix.bind("socket")
        unix.listen(100)
        threading.Thread(target=accept, args=(unix,), daemon=True).start()
        listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        with open("port.new", "w") as file:
            file.write(str(listener.getsockname()[1]))
        os.rename("port.new", "port")
        accept(listener)
        """

    private let address = Shared<(url: URL, tls: TLSSettings, socket: String)?>(nil)

    var url: URL {
        get throws { try #require(address.withLock { $0?.url }) }
    }

    /// The server without TLS.
    var plainURL: URL { raw.url("/") }

    /// A transport without connections.
    func transport() throws -> ConnectedTransport {
        ConnectedTransport(CurlTransport(), tls: try #require(address.withLock { $0?.tls }))
    }

    /// The same, over the Unix socket.
    func unixTransport() throws -> ConnectedTransport {
        let (_, tls, socket) = try #require(address.withLock { $0 })
        return ConnectedTransport(CurlTransport(), ConnectionSettings(tls: tls, unixSocket: socket))
    }

    /// Begins anew with the numbers of connections and requests. Connections that had a request keep their script.
    /// - Parameters:
    ///   - ending: how a connection ends for which the script gives nil.
    ///   - answersHeads: whether the script is asked at the head of a request on the first connection, and not at its end.
    func begin(ending: RawReply.Step = .close, answersHeads: Bool = false, _ script: @escaping Script) {
        book.withLock { $0 = Book(script: script, ending: ending, answersHeads: answersHeads) }
    }

    /// The requests over HTTP/2 about which the script was asked, with the bodies that had arrived.
    var requests: [Request] { book.withLock(\.requests) }
    var http1Requests: [RawServer.Request] { book.withLock(\.http1) }

    private static func converse(_ dialogue: inout RawDialogue, _ book: Shared<Book>) {
        // The rest of the preface.
        guard dialogue.read(6) != nil, dialogue.send(frame(4, 0)) else { return }
        // libcurl also makes connections on which it then sends no request.
        var first: (connection: Int, script: Script, answersHeads: Bool)?
        var count = 0
        var open: [UInt32: Request] = [:]
        while let head = dialogue.read(9), let payload = dialogue.read(number(head[0..<3])) {
            let (type, flags, stream) = (head[3], head[4], UInt32(number(head[5..<9])))
            switch type {
            case 0: open[stream]?.body += payload
            case 1:
                first = first ?? book.withLock { $0.nextConnection() }
                count += 1
                open[stream] = Request(connection: first?.connection ?? 0, number: count, stream: stream)
            case 4 where flags & 1 == 0: guard dialogue.send(frame(4, flags: 1, 0)) else { return }
            default: break
            }
            let isAsked = flags & 1 != 0 || first?.answersHeads == true
            guard type <= 1, isAsked, let own = first, let request = open.removeValue(forKey: stream) else { continue }
            book.withLock { $0.requests.append(request) }
            guard let frames = own.script(request), dialogue.send(frames) else { return }
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    static func frame(_ type: UInt8, flags: UInt8 = 0, _ stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
        Array(bytes(UInt32(payload.count)).dropFirst()) + [type, flags] + bytes(stream) + payload
    }

    /// A head with status 200, an entry of the static table (RFC 7541, appendix A), and a body.
    static func ok(_ stream: UInt32) -> [UInt8] {
        frame(1, flags: 4, stream, [0x88]) + frame(0, flags: 1, stream, Array("ok".utf8))
    }

    /// A DATA frame of the connection, which there is not.
    static var misplacedData: [UInt8] { frame(0, 0, [0]) }

    static func goAway(_ lastStream: UInt32, _ code: ErrorCode = .none) -> [UInt8] {
        frame(7, 0, bytes(lastStream) + bytes(code.rawValue))
    }
}
