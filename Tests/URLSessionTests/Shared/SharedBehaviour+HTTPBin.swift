#if os(Linux)
    import Foundation
    import Patchbay
    import Testing
    import PatchbayMigration

    extension SharedBehaviour {
        /// Where a real server is; `scripts/test` starts one and names it.
        static let httpbinURL = ProcessInfo.processInfo.environment["PATCHBAY_HTTPBIN"].flatMap { URL(string: $0) }

        private static func manager(_ carrier: Carrier) -> SessionManager {
            SessionManager(baseURL: httpbinURL, registry: .standard, transport: carrier.transport)
        }

        /// The rows that need the server; none where there is none.
        static let httpbin = httpbinURL == nil ? [] : served

        private static let served = [
            SharedBehaviour("httpbin: form, JSON and multipart are echoed") { carrier in
                let manager = manager(carrier)
                let fields = try await manager.post("anything", as: JSON.self, parameters: ["a": "b c"])["form"]
                #expect(fields == ["a": "b c"])
                let sent = try await manager.put("anything", body: ["n": 7], as: JSON.self)["json"]
                #expect(sent == ["n": 7])
                var form = MultipartFormData()
                form.append(Data(repeating: 0x78, count: 100_000), name: "file", fileName: "a.txt")
                let json = try await manager.post("anything", multipart: form, parameters: ["first": 1], as: JSON.self)
                #expect(json["form"] == ["first": "1"])
                #expect(json.pointer("/files/file")?.string?.count == 100_000)
            },
            SharedBehaviour("httpbin: basic and bearer credentials") { carrier in
                let manager = manager(carrier)
                manager.setHeader(try HeaderFields.basic(user: "me", password: "secret"), for: "Authorization")
                let basic = try await manager.get("basic-auth/me/secret", as: JSON.self)["authenticated"]
                #expect(basic == true)
                manager.setHeader("Bearer t0ken", for: "Authorization")
                let bearer = try await manager.get("bearer", as: JSON.self)["token"]
                #expect(bearer == "t0ken")
                manager.setHeader(nil, for: "Authorization")
                let error = await #expect(throws: SessionError.self) { try await manager.send("basic-auth/me/secret") }
                #expect(error?.head?.status == 401)
            },
            SharedBehaviour("httpbin: redirects, statuses, gzip and deflate") { carrier in
                let manager = manager(carrier)
                let path = try await manager.send("redirect/3").head.url.path()
                #expect(path == "/get")
                let error = await #expect(throws: SessionError.self) { try await manager.send("status/418") }
                #expect(error?.head?.status == 418)
                let outcome = try await manager.send("status/204").outcome
                #expect(outcome == .empty)
                let gzipped = try await manager.get("gzip", as: JSON.self)["gzipped"]
                #expect(gzipped == true)
                let deflated = try await manager.get("deflate", as: JSON.self)["deflated"]
                #expect(deflated == true)
            },
            SharedBehaviour("httpbin: bytes, chunks, JSON, XML and text") { carrier in
                let manager = manager(carrier)
                let bytes = try await manager.get("bytes/1024", as: Data.self).count
                #expect(bytes == 1_024)
                let chunks = try await manager.get("stream-bytes/65536", as: Data.self).count
                #expect(chunks == 65_536)
                let entry = try await manager.send("json").entry
                #expect(entry == "json")
                let xml = try await manager.send("xml").value
                #expect(xml is XMLTree)
                let html = try await manager.get("html", as: String.self)
                #expect(html.contains("Herman Melville"))
            },
        ]
    }
#endif
