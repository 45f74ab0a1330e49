import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// Where AFNetworking, Alamofire and their versions differ from each other, what holds here.
@Suite(.timeLimit(.minutes(5))) struct SettledDifferencesTests {
    private func manager(
        _ reply: StubReply, _ plugins: String = "[]", policy: String = "{}"
    ) throws -> (SessionManager, StubTransport) {
        let overlay = #"{ "manifestVersion": 1, "policy": \#(policy), "plugins": \#(plugins) }"#
        let stub = StubTransport { _ in reply }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"),
            registry: try .standard.overlaid(by: .text(overlay, name: "test")), transport: stub)
        return (manager, stub)
    }

    private static func reply(_ text: String, _ type: String? = "application/json", status: Int = 200) -> StubReply {
        reply(Data(text.utf8), type, status: status)
    }

    private static func reply(_ body: Data, _ type: String?, status: Int = 200) -> StubReply {
        let fields = HeaderFields(type.map { [("Content-Type", $0)] } ?? [])
        return StubReply(status: status, fields: fields, body: body)
    }

    @Test("1.15: a request's own field replaces the manager's and never adds to it")
    func headers() async throws {
        let (manager, stub) = try manager(Self.reply("1"))
        manager.setHeader("manager", for: "X-A")
        _ = try await manager.send("a", headers: ["x-a": "request"])
        #expect(stub.requests.first?.head.fields.values(for: "X-A") == ["request"])
    }

    @Test(
        "1.15: nulls stay, or go from objects, or from arrays too, by option",
        arguments: [
            ("none", ["a": nil, "b": [1, nil]]), ("keys", ["b": [1, nil]]), ("keysAndElements", ["b": [1]]),
        ] as [(String, JSON)])
    func nulls(_ option: String, _ value: JSON) async throws {
        let (manager, _) = try manager(
            Self.reply(#"{"a":null,"b":[1,null]}"#), #"[{ "id": "json", "options": { "removeNulls": "\#(option)" } }]"#)
        #expect(try await manager.send("a").value as? JSON == value)
    }

    @Test("1.15: no type and no bytes is no failure")
    func nothing() async throws {
        let (manager, _) = try manager(Self.reply("", nil))
        #expect(try await manager.send("a").outcome == .empty)
        let pair = await manager.pair(SessionRequest("a"), .json)
        #expect(pair.object == nil && pair.error == nil)
    }

    @Test("1.15: JSON is a value: what is made of it changes nothing else")
    func immutable() async throws {
        let (manager, _) = try manager(Self.reply(#"{"a":1}"#))
        let json = try #require(try await manager.send("a").value as? JSON)
        #expect(json.mergePatched(by: ["a": 2]) == ["a": 2])
        #expect(json.removingNulls(.keys) == json)
        #expect(json == ["a": 1])
    }

    @Test("1.15: the charset that holds where a response names none is the entry's, UTF-8 unless set")
    func charset() async throws {
        let latin = Self.reply(Data([0x63, 0xE9]), "text/plain")
        let (strict, _) = try manager(latin)
        let error = await #expect(throws: SessionError.self) { try await strict.send("a") }
        #expect(error?.code == .serialization)
        let (own, _) = try manager(latin, #"[{ "id": "text", "options": { "charset": "iso-8859-1" } }]"#)
        #expect(try await own.send("a").value as? String == "c\u{E9}")
        let (lossy, _) = try manager(latin, #"[{ "id": "text", "options": { "lossy": true } }]"#)
        #expect(try await lossy.send("a").value as? String == "c\u{FFFD}")
    }

    @Test(
        "JSON in a charset that Content-Type names is an error that says so, and is read by the serializer of the page")
    func jsonInAnotherCharset() async throws {
        let bytes = Data(#"{"a":"c"#.utf8) + [0xE9] + Data("\"}".utf8)
        for (type, clause) in [
            ("application/json; charset=iso-8859-1", ", and Content-Type says iso-8859-1"),
            ("application/vnd.acme+json; charset=windows-1252", ", and Content-Type says windows-1252"),
        ] {
            let reply = Self.reply(bytes, type)
            let error = await #expect(throws: SessionError.self) { try await manager(reply).0.send("a") }
            #expect(error?.description.contains("the bytes here are not UTF-8\(clause); asked: ") == true)
            let reader = SessionManager(
                baseURL: URL(string: "http://origin.test/"), registry: try RequestExamples.unwrapping(),
                transport: StubTransport { _ in reply })
            #expect(try await reader.send("a").value as? JSON == ["a": "cé"])
            #expect(try await reader.get("a", as: [String: String].self) == ["a": "cé"])
        }
        let plain = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try RequestExamples.unwrapping(),
            transport: StubTransport { _ in Self.reply(#"["é"]"#) })
        #expect(try await plain.get("a", as: [String].self) == ["é"])
    }

    @Test("lines of JSON sent as JSON: every call points to the factory that reads them")
    func linesOfJSON() async throws {
        let (manager, _) = try manager(Self.reply("{\"a\":1}\n{\"a\":2}\n"))
        let pointer = #"; JSON on each line is for the factory "ndjson"; asked: "#
        let errors = [
            await #expect(throws: SessionError.self) { try await manager.send("a") },
            await #expect(throws: SessionError.self) { try await manager.get("a", as: [[String: Int]].self) },
            await #expect(throws: SessionError.self) { try await manager.get("a", as: [String: Int].self) },
            await #expect(throws: SessionError.self) { try await manager.get("a", as: JSON.self) },
            await #expect(throws: SessionError.self) {
                var elements: [[String: Int]] = []
                for try await element in try await manager.stream("a", of: [String: Int].self) {
                    elements.append(element)
                }
            },
        ]
        for error in errors { #expect(error?.description.contains(pointer) == true, "\(String(describing: error))") }
        var request = SessionRequest("a")
        request.using = .factory("ndjson")
        #expect(try await manager.send(request, as: [[String: Int]].self).value == [["a": 1], ["a": 2]])
    }

    @Test("1.2.6: a body that does not begin with the prefix is read unchanged, and the reply says why")
    func withoutPrefix() async throws {
        let (plain, _) = try manager(Self.reply("[1]"), #"[{ "id": "xssi", "enabled": true }]"#)
        let reply = try await plain.send("a")
        #expect(reply.value as? JSON == [1])
        #expect(reply.unwrapped == nil)
        #expect(
            reply.decision.candidates.first { $0.entry == "xssi" }?.description
                == "xssi: declined: the body does not begin with its prefix")
        let (prefixed, _) = try manager(Self.reply(")]}'\n[1]"), #"[{ "id": "xssi", "enabled": true }]"#)
        #expect(try await prefixed.send("a").unwrapped?.entry == "json")
        let (off, _) = try manager(Self.reply(")]}'\n[1]"))
        let error = await #expect(throws: SessionError.self) { try await off.send("a") }
        #expect(error?.description.contains(#"JSON after a prefix, which the factory "xssi" reads"#) == true)
    }

    @Test("1.15: a charset that nobody knows is an error, and UTF-8 where the entry is lossy")
    func unknownCharset() async throws {
        let reply = Self.reply("x", "text/plain; charset=nonsense")
        let error = await #expect(throws: SessionError.self) { try await manager(reply).0.send("a") }
        let failure = error?.cause as? FormatFailure
        #expect(failure?.code == .unsupported)
        #expect(failure?.reason == "the charset nonsense is not known; the option charsetOverride can set another")
        let (lossy, _) = try manager(reply, #"[{ "id": "text", "options": { "lossy": true } }]"#)
        #expect(try await lossy.send("a").value as? String == "x")
    }

    @Test(
        "1.15: bytes that came are serialized whatever the status; no bytes are the empty value", arguments: [204, 205])
    func empty(_ status: Int) async throws {
        let (full, _) = try manager(Self.reply("[1]", status: status))
        #expect(try await full.send("a").value as? JSON == [1])
        let (bare, _) = try manager(Self.reply("", status: status))
        #expect(try await bare.send("a").outcome == .empty)
        #expect(try await bare.get("a", as: Data.self) == Data())
        let head = try await manager(Self.reply("")).0.send(SessionRequest("a", method: "HEAD"))
        #expect(head.outcome == .empty)
    }

    @Test("1.15: every reply and every error has a timeline")
    func timeline() async throws {
        let reply = try await manager(Self.reply("1")).0.send("a")
        #expect(reply.timeline.head <= reply.timeline.serialized)
        let error = await #expect(throws: SessionError.self) { try await manager(Self.reply("[")).0.send("a") }
        #expect(error?.timeline != nil)
    }

    @Test("1.15: property lists are serialized")
    func propertyList() async throws {
        let list = try PropertyListEncoder().encode(["a": 1])
        let (manager, _) = try manager(Self.reply(list, "application/x-plist"))
        #expect(try await manager.get("a", as: [String: Int].self) == ["a": 1])
    }

    @Test("1.15: the outcome is a value or an error, and the error has the decoded body; the pair has both")
    func both() async throws {
        let (manager, _) = try manager(Self.reply(#"{"why":"no"}"#, status: 400))
        let error = await #expect(throws: SessionError.self) { try await manager.send("a") }
        #expect(error?.value as? JSON == ["why": "no"])
        let pair = await manager.pair(SessionRequest("a"), .json)
        #expect(pair.object == ["why": "no"])
        #expect(pair.error?.code == -1011)
    }

    @Test("1.15: a status and a type that are both wrong are both told by one error")
    func statusAndType() async throws {
        let (manager, _) = try manager(Self.reply("x", "a/b", status: 500), policy: #"{ "noMatch": "error" }"#)
        let error = await #expect(throws: SessionError.self) { try await manager.send("a") }
        #expect(error?.code == .status)
        let failure = error?.bodyFailure as? SessionError
        #expect(failure?.code == .noReader)
        #expect(failure?.reason.hasPrefix("no entry serializes a/b with status 500; none of the ") == true)
        #expect(error?.decision?.candidates.first { $0.entry == "json" }?.reason == "a/b is outside @json")
    }

    @Test("1.15: the first entry that covers wins, a failure stops unless it is told to go on, and reasons are kept")
    func order() async throws {
        let reply = Self.reply("oops")
        let error = await #expect(throws: SessionError.self) { try await manager(reply).0.send("a") }
        #expect(error?.code == .serialization)
        #expect(error?.decision?.candidates.filter { $0.verdict == .failed }.map(\.entry) == ["json"])
        let (next, _) = try manager(reply, #"[{ "id": "json", "onFailure": "next" }]"#)
        let raw = try await next.send("a")
        #expect(raw.outcome == .raw)
        #expect(raw.decision.candidates.filter { $0.verdict == .failed }.map(\.entry) == ["json"])
    }

    @Test("1.15, 1.5.5: a task keeps the registry that was there when it was made")
    func snapshot() async throws {
        let (manager, _) = try manager(Self.reply("[1]"))
        let call = manager.task(SessionRequest("a"))
        manager.registry = try manager.registry.replacing(
            "json", with: ClosureResponseSerializer { body, _ in body.count })
        #expect(try await call.resume().reply.value as? JSON == [1])
        #expect(try await manager.send("a").value as? Int == 3)
    }

    @Test("1.15: a download of a 404 leaves nothing, and its body is the error's")
    func download() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-settled-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (manager, _) = try manager(Self.reply(#"{"why":"gone"}"#, status: 404))
        let error = await #expect(throws: SessionError.self) {
            try await manager.download("a", to: .file(folder.appending(path: "a"))).value
        }
        #expect(error?.value as? JSON == ["why": "gone"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("1.15: Accept says what the active entries can read")
    func accept() async throws {
        let (manager, stub) = try manager(
            Self.reply("[1]"), #"[{ "id": "csv", "factory": "text", "match": { "types": ["text/csv"] } }]"#)
        _ = try await manager.send("a")
        _ = try await manager.get("a", as: [Int].self)
        let accepts = stub.requests.map { $0.head.fields["Accept"] ?? "" }
        #expect(accepts[0].hasPrefix("text/csv, application/json;q=0.9"))
        #expect(accepts[1].hasPrefix("application/json"))
        #expect(!accepts[1].contains("text/csv"))
    }

    @Test("1.1.24, 1.1.25: onFailure next on every entry is the compound serializer: the first value, else the bytes")
    func compound() throws {
        func body(_ text: String) -> ResponseBody { ResponseBody(Data(text.utf8)) }
        let manifest = """
            { "manifestVersion": 1, "policy": { "acceptableStatus": "any" }, "plugins": [
                { "id": "json", "factory": "json", "onFailure": "next" },
                { "id": "list", "factory": "property-list", "onFailure": "next" },
                { "id": "xml", "factory": "xml-document", "onFailure": "next" } ] }
            """
        let registry = try SerializerRegistry(
            sources: [.text(manifest, name: "test.json")], factories: .standard)
        let decision = registry.explain(contentType: "application/json")
        #expect(try decision.serialize(body("[1]")).entry == "json")
        #expect(try decision.serialize(body("<plist><true/></plist>")).entry == "list")
        #expect(try decision.serialize(body("<a/>")).entry == "xml")
        let none = try decision.serialize(body("{oops"))
        #expect(none.outcome == .raw)
        #expect(none.value as? ResponseBody == body("{oops"))
        #expect(none.attempts.map(\.entry) == ["json", "list", "xml"])
    }
}
