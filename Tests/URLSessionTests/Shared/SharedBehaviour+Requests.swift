import PatchbayMigration
import PatchbayPlatform

#if os(Linux)
    import Foundation
    import Patchbay
    import TestSupport
    import Testing

    extension SharedBehaviour {
        static let requests = [
            SharedBehaviour("1.6.3: every method arrives as it was named") { carrier in
                let server = try RawServer(echo)
                let manager = manager(carrier, server)
                for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"] {
                    let value = try await manager.send(SessionRequest("a?b=c", method: method), as: JSON.self).value
                    #expect(value["method"]?.string == method)
                    #expect(value["target"] == "/a?b=c")
                }
                _ = try await manager.send(SessionRequest("a", method: "HEAD"))
                #expect(server.requests.last?.method == "HEAD")
            },
            SharedBehaviour("1.8.3: parameters of a GET are its query") { carrier in
                let server = try RawServer(echo)
                let value = try await manager(carrier, server).get(
                    "a", as: JSON.self, parameters: ["q": "a b&\u{E9}", "l": [1, 2]])
                #expect(value["target"] == "/a?l%5B%5D=1&l%5B%5D=2&q=a%20b%26%C3%A9")
            },
            SharedBehaviour("1.8.6: parameters of a POST are a form") { carrier in
                let server = try RawServer(echo)
                let value = try await manager(carrier, server).post("a", as: JSON.self, parameters: ["q": "a b"])
                #expect(value["text"] == "q=a%20b")
                #expect(value["type"] == "application/x-www-form-urlencoded")
            },
            SharedBehaviour("1.8.11: parameters as JSON") { carrier in
                let server = try RawServer(echo)
                var request = SessionRequest("PUT", "a", parameters: ["q": ["n": 1]])
                request.serializer = .json
                let value = try await manager(carrier, server).send(request, as: JSON.self).value
                #expect(value["text"] == #"{"q":{"n":1}}"#)
                #expect(value["type"] == "application/json")
            },
            SharedBehaviour("1.8.12: parameters as a property list") { carrier in
                let server = try RawServer(echo)
                var request = SessionRequest("PATCH", "a", parameters: ["q": 1])
                request.serializer = .propertyList
                let value = try await manager(carrier, server).send(request, as: JSON.self).value
                let list = try PropertyListDecoder().decode(
                    [String: Int].self, from: Data((value["text"]?.string ?? "").utf8))
                #expect(list == ["q": 1])
                #expect(value["type"] == "application/x-plist")
            },
            SharedBehaviour("1.8.13: a multipart form arrives whole, with its length") { carrier in
                let server = try RawServer(always: json("[1]"))
                var form = MultipartFormData(boundary: "B")
                form.append(String(repeating: "x", count: 100_000), name: "t")
                let answer = try await manager(carrier, server).post("x", multipart: form, as: [Int].self)
                #expect(answer == [1])
                let request = try #require(server.requests.first)
                #expect(request.fields["Content-Type"] == "multipart/form-data; boundary=B")
                #expect(request.fields["Content-Length"] == form.length.map { "\($0)" })
                #expect(
                    request.text == "--B\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\n"
                        + String(repeating: "x", count: 100_000) + "\r\n--B--\r\n")
            },
            SharedBehaviour("1.12.4: basic and bearer credentials, of the manager, the URL and the request") {
                carrier in
                let server = try RawServer(echo)
                let manager = manager(carrier, server)
                func sent(_ target: String = "a", _ headers: HeaderFields = [:]) async throws -> String? {
                    let value = try await manager.get(target, headers: headers, as: JSON.self)
                    return value["authorization"]?.string
                }
                let none = try await sent()
                #expect(none == nil)
                manager.setHeader(try HeaderFields.basic(user: "me", password: "secret"), for: "Authorization")
                let basic = try await sent()
                #expect(basic == "Basic bWU6c2VjcmV0")
                manager.setHeader("Bearer t0ken", for: "Authorization")
                let bearer = try await sent()
                #expect(bearer == "Bearer t0ken")
                let own = try await sent("a", ["Authorization": "Own"])
                #expect(own == "Own")
                manager.setHeader(nil, for: "Authorization")
                let ofURL = try await sent("http://me:secret@127.0.0.1:\(server.port)/")
                #expect(ofURL == "Basic bWU6c2VjcmV0")
            },
            SharedBehaviour("1.7.4: each request says who sends it, and what it takes") { carrier in
                let server = try RawServer(always: json("1"))
                _ = try await manager(carrier, server).send("a")
                let fields = try #require(server.requests.first).fields
                #expect(fields["User-Agent"] == HeaderFields.standard["User-Agent"])
                #expect(fields["Accept-Language"] == HeaderFields.standard["Accept-Language"])
                #expect(fields["Accept"]?.hasPrefix("application/json") == true)
                #expect(fields["Accept-Encoding"]?.contains("gzip") == true)
                #expect(fields["Cookie"] == nil)
            },
            SharedBehaviour("1.8.9: a jar keeps the cookies of a manager, at each hop of a redirect too") { carrier in
                let server = try RawServer { request in
                    request.target == "/a"
                        ? .response(status: 302, ["Location": "/b", "Set-Cookie": "a=b"])
                        : json("1", ["Set-Cookie": "c=d", "Set-Cookie": "e=f; Path=/c"])
                }
                var configuration = SessionConfiguration()
                configuration.cookies = CookieJar()
                let manager = manager(carrier, server, configuration)
                _ = try await manager.send("a")
                _ = try await manager.send("c", headers: ["Cookie": "own=1"])
                #expect(
                    server.requests.map { $0.fields.values(for: "Cookie") }
                        == [[], ["a=b"], ["e=f; a=b; c=d; own=1"]])
            },
            SharedBehaviour("1.6.7: HEAD asks for the body as it is, so that its length can be told") { carrier in
                let server = try RawServer { request in
                    let isPlain = request.fields.values(for: "Accept-Encoding") == ["identity"]
                    return .raw(
                        "HTTP/1.1 200 OK\r\n\(isPlain ? "Content-Length: 99999999999\r\n" : "")\r\n", closing: false)
                }
                let reply = try await manager(carrier, server).send(SessionRequest("a", method: "HEAD"))
                #expect(reply.head.fields["Content-Length"] == "99999999999")
                _ = try await manager(carrier, server).send(
                    SessionRequest("a", method: "HEAD", headers: ["Accept-Encoding": "gzip"]))
                #expect(server.requests.last?.fields.values(for: "Accept-Encoding") == ["gzip"])
            },
            SharedBehaviour("a range is asked for without a coding, unless the request says which it takes") {
                carrier in
                let server = try RawServer(
                    always: .response(status: 206, ["Content-Range": "bytes 0-3/9"], body: "text"))
                for (own, asked) in [(nil, "identity"), ("gzip", "gzip")] as [(String?, String)] {
                    var request = SessionRequest("a", headers: ["Range": "bytes=0-3"])
                    request.headers["Accept-Encoding"] = own
                    let part = try await manager(carrier, server).send(request, as: Data.self).value
                    #expect(part == Data("text".utf8))
                    #expect(server.requests.last?.fields.values(for: "Accept-Encoding") == [asked])
                }
            },
            SharedBehaviour("1.12.5: a credential that is refused is renewed, and the call tried again") { carrier in
                let server = try RawServer { request in
                    request.fields["Authorization"] == "Bearer new"
                        ? json("1") : .response(status: 401, ["WWW-Authenticate": "Bearer"])
                }
                var request = SessionRequest("a", body: "abc")
                request.interceptors = [
                    AuthenticationInterceptor(
                        BearerScheme { _ in BearerScheme.Credential(token: "new") },
                        credential: BearerScheme.Credential(token: "old"))
                ]
                let reply = try await manager(carrier, server).send(request, as: Int.self)
                #expect(reply.timeline.retries == 1)
                #expect(server.requests.map(\.text) == ["abc", "abc"])
            },
            SharedBehaviour("1.5.16: a body that is read from a source arrives whole") { carrier in
                let server = try RawServer(always: json("1"))
                let text = String(repeating: "0123456789", count: 50_000)
                for length in [Int64(500_000), nil] {
                    let content = RequestContent(
                        "text/x", making: { .source(TextSource(text, length: length)) })
                    _ = try await manager(carrier, server).send(SessionRequest("a", method: "PUT", content: content))
                    #expect(server.requests.last?.text == text)
                }
            },
        ]
    }

    /// A text as a body that is read while it is sent.
    private final class TextSource: RequestBodySource {
        let length: Int64?
        private let bytes: [UInt8]
        private let position = Guarded(0)

        init(_ text: String, length: Int64?) {
            bytes = Array(text.utf8)
            self.length = length
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece {
            position.withLock { position in
                let piece = bytes[position...].prefix(buffer.count)
                buffer.copyBytes(from: piece)
                position += piece.count
                return piece.isEmpty ? .end() : .bytes(piece.count)
            }
        }

        func rewind() { position.withLock { $0 = 0 } }
    }
#endif
