#if os(Linux) || os(macOS)
    import Patchbay
    import PatchbayMigration
    import TestSupport
    import Testing

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Bodies of requests that are compressed; the server sends them back as they came, and the transport undoes the coding.
    @Suite("CompressingParameterSerializer", .timeLimit(.minutes(5)))
    struct CompressionTests {
        private func echo() throws -> RawServer {
            try RawServer { request in
                var fields: HeaderFields = ["Content-Type": request.fields["Content-Type"] ?? "none/none"]
                if let coding = request.fields["Content-Encoding"] { fields["Content-Encoding"] = coding }
                return .response(fields, body: request.body)
            }
        }

        private func manager(_ serializer: CompressingParameterSerializer, _ server: RawServer) -> SessionManager {
            var configuration = SessionConfiguration()
            configuration.requestSerializer = serializer
            return SessionManager(baseURL: server.url(), registry: .standard, configuration: configuration)
        }

        @Test(
            "1.9.6: a body arrives compressed, whoever made it",
            arguments: [CompressingParameterSerializer.Coding.deflate, .gzip])
        func compresses(_ coding: CompressingParameterSerializer.Coding) async throws {
            let server = try echo()
            let long = String(repeating: "all work and no play ", count: 10_000)
            let form = manager(CompressingParameterSerializer(coding), server)
            let json = manager(CompressingParameterSerializer(coding, after: .json), server)
            #expect(try await form.post("x", as: Data.self, parameters: ["a": .string("x")]) == Data("a=x".utf8))
            #expect(try await json.post("x", as: JSON.self, parameters: ["a": .string(long)]) == ["a": .init(long)])
            #expect(try await form.post("x", body: long, as: String.self) == long)
            #expect(try await form.post("x", body: ["a": long], as: JSON.self) == ["a": .init(long)])
            #expect(
                try await form.send(SessionRequest("x", method: "POST", content: .data(Data([7]))), as: Data.self).value
                    == Data([7]))
            #expect(server.requests.count == 5)
            for request in server.requests {
                #expect(request.fields.values(for: "Content-Encoding") == [coding.rawValue])
                #expect(request.fields["Content-Length"] == "\(request.body.count)")
                #expect(request.body.count < 2_000)
                switch coding {
                case .gzip: #expect(request.body.starts(with: [0x1F, 0x8B, 8]))
                // RFC 1950, section 2.2: deflate in a window of 32 KiB, and a check of the two bytes.
                case .deflate:
                    let head = request.body.prefix(2).map { Int($0) }
                    try #require(head.count == 2)
                    #expect(head[0] == 0x78)
                    #expect((head[0] * 256 + head[1]) % 31 == 0)
                }
            }
            #expect(server.requests.map { $0.fields["Content-Type"] }.first == "application/x-www-form-urlencoded")
        }

        @Test("1.9.6: what has no body, an empty one, one that is read on the way or is not worth it goes as it is")
        func leavesAlone() async throws {
            let server = try echo()
            let manager = manager(CompressingParameterSerializer(isWorthIt: { $0.count > 10 }), server)
            _ = try await manager.get("x", parameters: ["a": "a long enough value"])
            _ = try await manager.send(SessionRequest("x", body: ""))
            _ = try await manager.send(SessionRequest("x", body: "too short"))
            var parts = MultipartFormData()
            parts.append("a part that is long enough", name: "a")
            _ = try await manager.post("x", multipart: parts)
            #expect(server.requests.map { $0.fields["Content-Encoding"] } == [nil, nil, nil, nil])
            #expect(server.requests.map(\.body.count).dropLast() == [0, 0, 9])
            #expect(server.requests.last?.text.contains("long enough") == true)
            _ = try await manager.send(SessionRequest("x", body: "long enough"))
            #expect(server.requests.last?.fields["Content-Encoding"] == "deflate")
        }

        @Test("1.9.6: a Content-Encoding field of the request fails it, is replaced, or leaves the body alone")
        func duplicates() async throws {
            let server = try echo()
            let field: HeaderFields = ["Content-Encoding": "gzip"]
            func send(_ duplicate: CompressingParameterSerializer.Duplicate) async throws {
                let manager = manager(CompressingParameterSerializer(duplicate: duplicate), server)
                var request = SessionRequest("x", body: "abc", headers: field)
                // What comes back uncompressed under a coding cannot be undone.
                request.headers["Accept-Encoding"] = "identity"
                _ = try await manager.send(request, as: Data.self)
            }
            let error = await #expect(throws: SessionError.self) { try await send(.refuse) }
            #expect(error?.code == .invalidRequest)
            #expect(
                error?.description
                    == "the request was not sent: it has a Content-Encoding field already, and its body is to get one")
            try await send(.replace)
            try await send(.skip)
            #expect(server.requests.map { $0.fields["Content-Encoding"] } == ["deflate", "gzip"])
            #expect(server.requests.map { $0.text == "abc" } == [false, true])
        }

        @Test("1.9.6: content that cannot be made fails as it would uncompressed")
        func brokenContent() async throws {
            let server = try echo()
            let content = RequestContent("text/plain", making: { throw CocoaError(.fileReadUnknown) })
            let error = await #expect(throws: SessionError.self) {
                try await manager(CompressingParameterSerializer(), server).send(
                    SessionRequest("x", method: "POST", content: content))
            }
            #expect(error?.description == "the request was not sent: its content could not be made")
            #expect((error?.cause as? CocoaError)?.code == .fileReadUnknown)
            #expect(server.requests.isEmpty)
        }

        @Test("1.9.6: a redirect sends the compressed body again, or drops the body and its coding")
        func redirects() async throws {
            let server = try RawServer { request in
                switch request.target {
                case "/307": .response(status: 307, ["Location": "/end"])
                case "/303": .response(status: 303, ["Location": "/end"])
                default: .response(status: 204)
                }
            }
            let manager = manager(CompressingParameterSerializer(.gzip), server)
            for status in ["307", "303"] { _ = try await manager.send(SessionRequest(status, body: "abc")) }
            let ends = server.requests.filter { $0.target == "/end" }
            #expect(ends.map { $0.fields["Content-Encoding"] } == ["gzip", nil])
            #expect(ends.map(\.method) == ["POST", "GET"])
            #expect(ends.first?.body == server.requests.first?.body)
        }
    }
#endif
