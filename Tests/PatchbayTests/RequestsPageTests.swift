import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// Holds the page on requests to the code: its examples are run, and what they send is what the page says.
@Suite(.timeLimit(.minutes(5))) struct RequestsPageTests {
    typealias Order = RequestExamples.Order

    /// An example of the page, over a server that answers with what it was sent.
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        /// The manifest of the page that it needs, by its place there.
        var manifest: Int?
        /// Method, target and media type, and behind them the body.
        let sent: [String]
        let run: @Sendable (SessionManager) async throws -> Void
        var testDescription: String { name }
    }

    private static let tea = Order(item: "tea", count: 2)
    private static let visit = RequestExamples.Visit(
        userName: "ada", startedAt: Date(timeIntervalSince1970: 1_795_510_800))
    private static let json = #"{"item":"tea","count":2}"#
    private static let coded = #"POST /visits application/json {"user_name":"ada","started_at":"2026-11-24T09:00:00Z"}"#

    @Test("the settings of a connection that the page lists are the defaults")
    func connectionSettings() { #expect(RequestExamples.settings() == ConnectionSettings()) }

    static let examples = [
        Example(
            name: "a value",
            sent: ["POST /orders application/json \(json)", "PUT /orders/1 application/json \(json)"]
        ) { manager in
            let made = try await RequestExamples.value(manager, tea)
            #expect(made.count == 2)
        },
        Example(
            name: "a host that takes forms, by the manifest", manifest: 0,
            sent: ["POST /orders application/x-www-form-urlencoded item=tea&count=2"]
        ) { manager in try await RequestExamples.host(manager, tea) },
        Example(
            name: "another host beside it", manifest: 0, sent: ["POST /orders application/json \(json)"]
        ) { manager in try await manager.post("orders", body: tea) },
        Example(
            name: "that host without the manifest", sent: ["POST /orders application/json \(json)"]
        ) { manager in try await RequestExamples.host(manager, tea) },
        Example(
            name: "bytes and text",
            sent: [
                "PUT /photos/1 image/png PNG", "POST /notes text/plain;charset=utf-8 Crème brûlée",
                "POST /notes text/plain;charset=iso-8859-1 Crème brûlée",
            ]
        ) { manager in try await RequestExamples.bytes(manager, Data("PNG".utf8)) },
        Example(name: "snake_case and dates, by the manifest", manifest: 1, sent: [coded]) { manager in
            let answer = try await RequestExamples.coded(manager, visit)
            #expect(answer.userName == "ada")
            #expect(answer.startedAt == visit.startedAt)
        },
        Example(name: "snake_case and dates, for one host", manifest: 2, sent: [coded]) { manager in
            let answer = try await RequestExamples.coded(manager, visit)
            #expect(answer.startedAt == visit.startedAt)
        },
        Example(
            name: "another host beside it, in seconds since 2001", manifest: 2,
            sent: [#"POST /visits application/json {"userName":"ada","startedAt":817203600.0}"#]
        ) { manager in try await manager.post("https://other.example/visits", body: visit) },
        Example(
            name: "a merge patch",
            sent: [#"PATCH /orders/1 application/merge-patch+json {"count":3,"note":null,"state":"open"}"#]
        ) { manager in try await RequestExamples.patched(manager, 3, nil) },
        Example(
            name: "no value, and null", sent: ["POST /orders no type ", "POST /orders application/json null"]
        ) { manager in
            let missing: Order? = nil
            try await manager.post("orders", body: missing)
            try await manager.post("orders", body: JSON.null)
        },
        Example(
            name: "rows of a struct, one by one", manifest: 3, sent: ["POST /orders text/csv item,count\r\ntea,2\r\n"]
        ) { manager in
            let (queue, feed) = AsyncStream.makeStream(of: Order.self)
            feed.yield(tea)
            feed.finish()
            try await RequestExamples.rows(manager, queue)
        },
        Example(
            name: "an array of structs, without the option",
            sent: ["POST /orders text/csv item,count\r\ntea,2\r\n"]
        ) { manager in try await manager.post("orders", body: [tea], in: "text/csv") },
        Example(
            name: "the values of a table",
            sent: ["POST /marks text/csv at,isNew,bytes,note\r\n2026-11-24T09:00:00Z,true,AQ==,\r\n"]
        ) { manager in try await manager.post("marks", body: [Mark()], in: "text/csv") },
        Example(
            name: "what a form leaves out, and its dates",
            sent: ["POST /a application/x-www-form-urlencoded numbers=1&at=2026-11-24T09%3A00%3A00Z"]
        ) { manager in try await manager.post("a", body: Sparse(), in: .form) },
        Example(
            name: "the same in JSON",
            sent: [#"POST /a application/json {"list":[],"names":{},"numbers":[1,null],"at":817203600.25}"#]
        ) { manager in try await manager.post("a", body: Sparse()) },
        Example(name: "snake_case and dates, for all calls, in code", sent: [coded, coded]) { manager in
            try RequestExamples.codedInCode(manager)
            for _ in 0..<2 {
                let answer = try await RequestExamples.coded(manager, visit)
                #expect(answer.startedAt == visit.startedAt)
            }
        },
        Example(
            name: "snake_case and dates, by coders of Foundation",
            sent: [#"POST /visits application/json {"started_at":"2026-11-24T09:00:00Z","user_name":"ada"}"#]
        ) { manager in
            let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
            (decoder.keyDecodingStrategy, decoder.dateDecodingStrategy) = (.convertFromSnakeCase, .iso8601)
            (encoder.keyEncodingStrategy, encoder.dateEncodingStrategy) = (.convertToSnakeCase, .iso8601)
            encoder.outputFormatting = .sortedKeys
            manager.registry = try manager.registry.replacing(
                "json", with: JSONSerializer(decoder: decoder, encoder: encoder))
            let answer = try await RequestExamples.coded(manager, visit)
            #expect(answer.startedAt == visit.startedAt)
        },
        Example(name: "snake_case and dates, for one call", sent: [coded]) { manager in
            let answer = try await RequestExamples.codedOnce(manager, visit)
            #expect(answer.userName == "ada")
            #expect(answer.startedAt == visit.startedAt)
        },
        Example(
            name: "snake_case and dates in the formats of many texts", manifest: 1,
            sent: [
                "POST /visits application/x-ndjson {\"user_name\":\"ada\",\"started_at\":\"2026-11-24T09:00:00Z\"}\n",
                "POST /visits application/json-seq \u{1E}{\"user_name\":\"ada\",\"started_at\":\"2026-11-24T09:00:00Z\"}\n",
            ]
        ) { manager in
            for type: MediaType in [.ndjson, "application/json-seq"] {
                let answer = try await manager.post("visits", body: [visit], in: type, as: [RequestExamples.Visit].self)
                #expect(answer.map(\.startedAt) == [visit.startedAt])
            }
        },
        Example(
            name: "many elements",
            sent: [
                "POST /orders application/x-ndjson \(json)\n\(json)\n",
                "PUT /prices text/csv tea,2.50\r\ncoffee,3.20\r\n",
                "POST /orders application/x-ndjson \(json)\n",
            ]
        ) { manager in
            let (queue, feed) = AsyncStream.makeStream(of: Order.self)
            feed.yield(tea)
            feed.finish()
            try await RequestExamples.elements(manager, [tea, tea], queue)
        },
    ]

    struct Mark: Encodable, Sendable {
        var at = visit.startedAt
        var isNew = true
        var bytes = Data([1])
        var note: String?
    }

    struct Sparse: Encodable, Sendable {
        var list: [Int] = []
        var names: [String: String] = [:]
        var numbers: [Int?] = [1, nil]
        var note: String?
        var at = visit.startedAt.addingTimeInterval(0.25)
    }

    @Test("what the examples send", arguments: examples)
    func sent(_ example: Example) async throws {
        let manifests = try Markdown("Documentation/Bodies.md").blocks(of: "json")
        let manifest = example.manifest.map { [ManifestSource.text(manifests[$0], name: "page")] }
        let (manager, stub) = try Self.echo(try SerializerRegistry(manifest ?? []))
        try await example.run(manager)
        #expect(stub.requests.map(Self.line) == example.sent)
    }

    @Test("an order as a form, and as property lists")
    func formats() async throws {
        let (manager, stub) = try Self.echo()
        try await RequestExamples.format(manager, Self.tea)
        try await manager.put("orders/1", body: Self.tea, in: "application/x-apple-binary-plist")
        let sent = stub.requests
        #expect(
            sent.map { $0.head.fields["Content-Type"] }.suffix(2) == [
                "application/x-plist", "application/x-apple-binary-plist",
            ])
        #expect(Self.line(sent[0]) == "POST /orders application/x-www-form-urlencoded item=tea&count=2")
        for (request, start) in zip(sent.dropFirst(), ["<?xml", "bplist"]) {
            let body = try #require(request.body?.data)
            #expect(body.starts(with: start.utf8))
            #expect(try PropertyListDecoder().decode(Order.self, from: body).count == 2)
        }
    }

    @Test("problem details are read by the options of the page, for all hosts and for one", arguments: [nil, 1, 2])
    func problems(_ manifest: Int?) async throws {
        struct Complaint: Decodable { let userName: String }
        let page = try Markdown("Documentation/Bodies.md").blocks(of: "json")
        let registry = try manifest.map { try SerializerRegistry([.text(page[$0], name: "page")]) } ?? .standard
        let (manager, _) = try Self.echo(registry) { _ in
            StubReply(
                status: 422, fields: ["Content-Type": "application/problem+json"],
                body: #"{"title":"no","user_name":"ada"}"#)
        }
        let failure = await #expect(throws: SessionError.self) { try await manager.post("visits", body: Self.visit) }
        let error = try #require(failure)
        #expect(error.value is Problem)
        let complaint = try? error.decode(as: Complaint.self)
        #expect(complaint?.userName == (manifest == nil ? nil : "ada"))
    }

    @Test("nested values and lists in a form", arguments: [nil, "brackets", "indexInBrackets"])
    func nested(_ arrays: String?) async throws {
        let options = arrays.map { #"{ "arrays": "\#($0)" }"# } ?? "{}"
        let manifest = #"{ "manifestVersion": 1, "plugins": [{ "id": "form", "options": \#(options) }] }"#
        let (manager, stub) = try Self.echo(try SerializerRegistry([.text(manifest, name: "arrays")]))
        let basket = RequestExamples.Basket(
            buyer: ["city": "Wien"], tags: ["hot", "new"], lines: [Self.tea, Order(item: "coffee", count: 1)])
        try await manager.post("baskets", body: basket, in: .form)
        let body = String(decoding: try #require(stub.requests.first?.body?.data), as: UTF8.self)
        #expect(!body.contains("["))
        let row =
            "\n| `\(arrays ?? "noBrackets")`\(arrays == nil ? ", the default" : "") | `\(body.removingPercentEncoding ?? "")` |\n"
        #expect(try Markdown("Documentation/Bodies.md").text.contains(row), "\(row)")
    }

    @Test("the option keys respells the keys of dictionaries and of JSON in a form, and not in JSON")
    func keys() async throws {
        let manifest = """
            { "manifestVersion": 1, "plugins": [
              { "id": "form", "options": { "keys": "snakeCase" } }, { "id": "json", "options": { "keys": "snakeCase" } } ] }
            """
        let (manager, stub) = try Self.echo(try SerializerRegistry([.text(manifest, name: "keys")]))
        for type: MediaType in [.form, .json] {
            try await manager.post("a", body: ["userName": 1], in: type)
            try await manager.post("a", body: ["userName": 1] as JSON, in: type)
        }
        let bodies = stub.requests.map { String(decoding: $0.body?.data ?? Data(), as: UTF8.self) }
        #expect(bodies == ["user_name=1", "user_name=1", #"{"userName":1}"#, #"{"userName":1}"#])
    }

    struct Stall: Encodable, Sendable {
        var price = Decimal(2.5)
        var site = URL(string: "https://tea.example/")
        var note: String?
        var at = visit.startedAt.addingTimeInterval(0.25)
    }

    @Test("the values of a property list")
    func propertyList() async throws {
        let (manager, stub) = try Self.echo()
        try await manager.post("stalls", body: Stall(), in: "application/x-plist")
        let text = String(decoding: try #require(stub.requests.first?.body?.data), as: UTF8.self)
        for element in [
            "<real>2.5</real>", "<string>https://tea.example/</string>", "<date>2026-11-24T09:00:00Z</date>",
        ] { #expect(text.contains(element), "\(text)") }
        #expect(!text.contains("note"))
        let error = await #expect(throws: SessionError.self) {
            try await manager.post("stalls", body: [1, nil] as [Int?], in: "application/x-plist")
        }
        #expect(error?.code == .writing)
    }

    @Test("text that is no media type")
    func noMediaType() { #expect(MediaType(parsing: "text none") == nil) }

    @Test("the parts of a form, a value among them")
    func form() async throws {
        let photo = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
        try Data("PNG".utf8).write(to: photo)
        defer { try? FileManager.default.removeItem(at: photo) }
        let (manager, stub) = try Self.echo()
        try await RequestExamples.form(manager, photo, Data("small".utf8), Self.tea)
        let text = Self.line(try #require(stub.requests.first))
        for part in [
            "name=\"title\"\r\n\r\nTea\r\n", "Content-Type: image/png\r\n\r\nPNG\r\n",
            "name=\"thumbnail\"; filename=\"small.png\"\r\nContent-Type: image/png\r\n\r\nsmall\r\n",
            "Content-Type: application/json\r\n\r\n\(Self.json)\r\n",
        ] { #expect(text.contains(part), "\(text)") }
    }

    @Test("a content type of one's own, by code and by a manifest", arguments: [false, true])
    func ownType(_ isByManifest: Bool) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        try Data(try Markdown("Documentation/OwnFormat.md").blocks(of: "json")[1].utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let registry =
            isByManifest ? try RequestExamples.ownTypeByManifest(file) : try RequestExamples.ownTypeInCode()
        let (manager, stub) = try Self.echo(registry)
        let rows = [["tea", "2.50"], ["coffee", ""]]
        #expect(try await RequestExamples.ownType(manager, rows) == rows)
        #expect(
            stub.requests.map(Self.line) == ["POST /tables text/tab-separated-values tea\t2.50\ncoffee\t\n"])

        let error = await #expect(throws: SessionError.self) {
            try await manager.post("tables", body: 7, in: "text/tab-separated-values")
        }
        #expect(error?.code == .writing)
        #expect(error?.cause is FormatFailure)
        #expect(error?.written?.entry == "tsv")
        #expect(stub.requests.count == 1)
    }

    @Test("a content type of one's own for any Codable type")
    func anyType() async throws {
        let type: MediaType = "application/x-fields"
        let registry = try SerializerRegistry.standard.adding(
            "fields", RequestExamples.Fields(), types: ["application/x-fields"])
        let (manager, stub) = try Self.echo(registry)
        #expect(try await manager.post("orders", body: Self.tea, in: type, as: Order.self).item == "tea")
        #expect(stub.requests.map(Self.line) == ["POST /orders application/x-fields item: \"tea\"\ncount: 2\n"])
        let error = await #expect(throws: SessionError.self) { try await manager.post("orders", body: 7, in: type) }
        #expect(error?.code == .writing)
        let (faulty, _) = try Self.echo(registry) { _ in
            StubReply(fields: ["Content-Type": "application/x-fields"], body: ":\nitem")
        }
        let unread = await #expect(throws: SessionError.self) { try await faulty.get("orders/1", as: Order.self) }
        #expect(unread?.code == .serialization)
    }

    @Test("explain asks the entries and does not write")
    func unwritable() async throws {
        let (manager, stub) = try Self.echo()
        let heavy = Parcel(weight: .infinity)
        #expect("\(manager.registry.explain(writing: heavy))".hasSuffix("json: chosen: writes application/json"))
        let error = await #expect(throws: SessionError.self) { try await manager.post("parcels", body: heavy) }
        #expect(error?.code == .writing)
        #expect(stub.requests.isEmpty)
    }

    @Test("the writer of one host: its responses and the other hosts stay as they are")
    func oneSide() async throws {
        let (manager, stub) = try Self.echo { _ in
            StubReply(fields: ["Content-Type": "application/json"], body: Self.json)
        }
        try RequestExamples.oneSide(manager)
        #expect(try await RequestExamples.value(manager, Self.tea).count == 2)
        try await RequestExamples.host(manager, Self.tea)
        #expect(
            stub.requests.map(Self.line) == [
                "POST /orders application/json {\"data\":\(Self.json)}",
                "PUT /orders/1 application/json {\"data\":\(Self.json)}",
                "POST /orders application/json \(Self.json)",
            ])
    }

    @Test("JSON in an envelope: by a generic struct, or by an entry of its host, which leaves errors as they are")
    func envelope() async throws {
        let body = #"{"data":\#(Self.json)}"#
        let (manager, _) = try Self.echo { _ in
            StubReply(fields: ["Content-Type": "application/json"], body: body)
        }
        #expect(try await RequestExamples.enveloped(manager).count == 2)
        let (unwrapping, _) = try Self.echo(try RequestExamples.unwrapped()) { request in
            request.head.url.path() == "/none"
                ? StubReply(
                    status: 404, fields: ["Content-Type": "application/problem+json"], body: #"{"detail": "no"}"#)
                : StubReply(fields: ["Content-Type": "application/json"], body: body)
        }
        #expect(try await unwrapping.get("orders/1", as: Order.self).item == "tea")
        await #expect(throws: SessionError.self) {
            try await unwrapping.get("https://other.example/orders/1", as: Order.self)
        }
        let error = await #expect(throws: SessionError.self) { try await unwrapping.get("none", as: Order.self) }
        #expect(error?.code == .status)
        #expect(try error?.decode(as: Problem.self).detail == "no")
    }

    /// A date that no option of a format reads.
    private struct Stamp: Decodable, Sendable, Equatable {
        let day: Int
        init(day: Int) { self.day = day }
        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let day = Int(text.dropFirst()) else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no day"))
            }
            self.day = day
        }
    }

    @Test(
        "a decoder with dates of its own decodes the elements of every format, and is JSON's alone as an entry",
        arguments: [
            ("application/json", #"[{"userName":"ada","startedAt":"d7"}]"#),
            ("application/x-ndjson", #"{"userName":"ada","startedAt":"d7"}\#n"#),
            ("text/event-stream", #"data: {"userName":"ada","startedAt":"d7"}\#n\#n"#),
        ])
    func ownDates(_ type: String, _ body: String) async throws {
        let (manager, _) = try Self.echo { request in
            StubReply(
                fields: ["Content-Type": type],
                body: request.head.url.path() == "/stamps"
                    ? body.replacing(#"{"userName":"ada","startedAt":"d7"}"#, with: #""d7""#) : body)
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            Date(timeIntervalSince1970: Double(try Stamp(from: decoder).day))
        }
        let seventh = Date(timeIntervalSince1970: 7)
        #expect(try await RequestExamples.decodedElements(manager, decoder).map(\.startedAt) == [seventh])
        var stamps: [Stamp] = []
        for try await stamp in try await manager.stream("stamps", of: Stamp.self) { stamps.append(stamp) }
        #expect(stamps == [Stamp(day: 7)])

        manager.registry = try manager.registry.replacing("json", with: JSONSerializer(decoder: decoder))
        var visits: [RequestExamples.Visit] = []
        do throws(SessionError) {
            for try await visit in try await manager.stream("visits", of: RequestExamples.Visit.self) {
                visits.append(visit)
            }
        } catch {
            #expect(type != "application/json" && error.code == .serialization)
        }
        #expect(visits.map(\.startedAt) == (type == "application/json" ? [seventh] : []))
    }

    /// Reads how many bytes there are.
    private struct Length: ResponseSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { body.data.count }
    }

    @Test("a serializer that only reads leaves the writing to the one before")
    func otherSide() async throws {
        let (manager, stub) = try Self.echo(
            try SerializerRegistry.standard.replacing("json", with: Length(), host: "api.example.com"))
        #expect(try await manager.post("orders", body: Self.tea, as: Int.self) == Self.json.utf8.count)
        #expect(stub.requests.map(Self.line) == ["POST /orders application/json \(Self.json)"])
    }

    @Test("what the page shows as printed is printed")
    func printed() async throws {
        let blocks = try Markdown("Documentation/Bodies.md").blocks(of: "text")
        try #require(blocks.count == 3)
        let (manager, _) = try Self.echo()
        let explained = Shared<[String]>([])
        try await Printed.$lines.withValue(explained) { try await RequestExamples.explained(manager, Self.tea) }
        #expect(explained.withLock { $0.joined(separator: "\n") + "\n" } == blocks[0])

        let (refusing, _) = try Self.echo { _ in
            StubReply(status: 415, fields: ["Accept-Post": "application/x-www-form-urlencoded"])
        }
        let refused = Shared<[String]>([])
        await Printed.$lines.withValue(refused) { await RequestExamples.unsupported(refusing, Self.tea) }
        #expect(refused.withLock { $0.joined(separator: "\n") + "\n" } == blocks[1])

        let (unasked, stub) = try Self.echo()
        let error = await #expect(throws: SessionError.self) { try await RequestExamples.unwritten(unasked, Self.tea) }
        #expect(error?.code == .noWriter)
        #expect(error.map { "\($0)\n" } == blocks[2])
        #expect(stub.requests.isEmpty)
    }

    /// Asks for another try once.
    private struct Once: RequestInterceptor {
        func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
            error.retries == 0 ? .retry : .doNotRetry
        }
    }

    @Test(
        "1.12.6: each attempt is signed, and a redirect to another origin is not",
        arguments: [
            (StubReply(status: 503), ["/orders 24", "/orders 24"]),
            (StubReply(status: 307, fields: ["Location": "/end"]), ["/orders 24", "/end 24"]),
            (StubReply(status: 307, fields: ["Location": "https://other.example/end"]), ["/orders 24", nil]),
        ])
    func signed(_ first: StubReply, _ signatures: [String?]) async throws {
        var configuration = SessionConfiguration()
        RequestExamples.signed(&configuration) { path, body in "\(path) \(body.count)" }
        configuration.interceptors.append(Once())
        let isFirst = Shared(true)
        let stub = StubTransport { _ in
            let answersFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return answersFirst ? first : StubReply()
        }
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub,
            configuration: configuration)
        try await manager.post("orders", body: Self.tea)
        #expect(stub.requests.map { $0.head.fields["X-Signature"] } == signatures)
        #expect(stub.requests.map { $0.body?.data } == [Data(Self.json.utf8), Data(Self.json.utf8)])
    }

    @Test("a signer signs an empty body, and refuses what is streamed")
    func streamed() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
        try Data("PNG".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = SessionConfiguration()
        RequestExamples.signed(&configuration) { path, body in "\(path) \(body.count)" }
        let stub = StubTransport { _ in StubReply() }
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub,
            configuration: configuration)
        try await manager.post("orders")
        try await manager.post("orders", body: "tea")
        #expect(stub.requests.map { $0.head.fields["X-Signature"] } == ["/orders 0", "/orders 3"])

        var form = MultipartFormData()
        form.append("Tea", name: "title")
        for content: RequestContent in [
            .file(file), .multipart(form), .elements(AsyncStream<Order> { $0.finish() }, in: .ndjson),
        ] {
            let error = await #expect(throws: SessionError.self) { try await manager.upload(content, to: "photos") }
            #expect(error?.code == .adaptation)
            #expect(error?.cause as? RequestExamples.Signer.Refusal == .bodyIsStreamed)
        }
        #expect(stub.requests.count == 2)
    }

    @Test(
        "POST is tried again only if the policy names it",
        arguments: [("POST", true, 2), ("POST", false, 1), ("PATCH", true, 1), ("PUT", false, 2)])
    func retries(_ method: String, _ isByExample: Bool, _ count: Int) async throws {
        var configuration = SessionConfiguration()
        configuration.interceptors = [RetryPolicy()]
        if isByExample { RequestExamples.retrying(&configuration) }
        let isFirst = Shared(true)
        let stub = StubTransport { _ in
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return StubReply(status: fails ? 503 : 200)
        }
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub,
            configuration: configuration)
        let error: SessionError?
        do throws(SessionError) {
            _ = try await manager.send(SessionRequest("orders", method: method, body: Self.tea), as: Void.self)
            error = nil
        } catch let failure {
            error = failure
        }
        #expect(error?.code == (count == 1 ? .status : nil))
        #expect(stub.requests.count == count)
    }

    @Test(
        "the media type is the first that is given",
        arguments: [
            ("in:", .form, ["Content-Type": "application/json"], "legacy.example", "application/x-www-form-urlencoded"),
            ("field", nil, ["Content-Type": "application/json"], "legacy.example", "application/json"),
            ("policy of the host", nil, [:], "legacy.example", "application/x-www-form-urlencoded"),
            ("policy of all", nil, [:], "api.example.com", "application/vnd.api+json"),
        ] as [(String, MediaType?, HeaderFields, String, String)])
    func mediaType(
        _ name: String, _ type: MediaType?, _ fields: HeaderFields, _ host: String, _ sent: String
    ) async throws {
        let page = try Markdown("Documentation/Bodies.md").blocks(of: "json")[0]
        let all = #"{"manifestVersion": 1, "policy": {"requestContentType": "application/vnd.api+json"}}"#
        let (manager, stub) = try Self.echo(
            try SerializerRegistry([.text(all, name: "all"), .text(page, name: "page")]))
        try await manager.post("https://\(host)/orders", body: ["tea": [2]], in: type, headers: fields)
        #expect(stub.requests.map { $0.head.fields["Content-Type"] } == [sent])
        // Bytes and text have a type of their own, whatever the policy says.
        try await manager.post("https://\(host)/orders", body: "tea")
        try await manager.post("https://\(host)/orders", body: Data([1]))
        let types = stub.requests.dropFirst().map { $0.head.fields["Content-Type"].flatMap { MediaType(parsing: $0) } }
        #expect(types == ["text/plain; charset=utf-8", .octetStream])
    }

    @Test("an entry whose one side is turned off leaves the other")
    func turnedOff() async throws {
        let manifest = #"{"manifestVersion": 1, "plugins": [{"id": "json", "writes": false}]}"#
        let (manager, stub) = try Self.echo(try SerializerRegistry([.text(manifest, name: "off")])) { _ in
            StubReply(fields: ["Content-Type": "application/json"], body: Self.json)
        }
        let error = await #expect(throws: SessionError.self) { try await manager.post("orders", body: Self.tea) }
        #expect(error?.code == .noWriter)
        #expect(stub.requests.isEmpty)
        #expect(try await manager.get("orders/1", as: Order.self).count == 2)
    }

    @Test("a character that the charset lacks is an error, and nothing is sent")
    func charset() async throws {
        let (manager, stub) = try Self.echo()
        let error = await #expect(throws: SessionError.self) {
            try await manager.post("notes", body: "茶", in: "text/plain; charset=iso-8859-1")
        }
        #expect(error?.code == .writing)
        #expect(stub.requests.isEmpty)
    }

    struct Parcel: Encodable, Sendable { let weight: Double }

    @Test("the sentences of bodies that are not written, as the page on errors has them")
    func sentences() async throws {
        let manifest = """
            {
              "manifestVersion": 1,
              "hosts": {
                "api.example.com": {
                  "inherit": false,
                  "plugins": [
                    { "id": "host-json", "factory": "json", "match": { "types": ["@json"] } },
                    { "id": "host-form", "factory": "form", "match": { "types": ["application/x-www-form-urlencoded"] } }
                  ]
                }
              }
            }
            """
        let (manager, stub) = try Self.echo()
        let (ofHost, _) = try Self.echo(try SerializerRegistry([.text(manifest, name: "host")]))
        let (refusing, _) = try Self.echo { _ in
            StubReply(status: 415, fields: ["Accept-Post": "application/x-www-form-urlencoded"])
        }
        let light = Parcel(weight: 1)
        let heavy = Parcel(weight: .infinity)
        let calls: [(code: SessionError.Code, call: @Sendable () async throws -> Void)] = [
            (.noWriter, { try await manager.post("a", body: light, in: "text/html") }),
            (.noWriter, { try await ofHost.post("a", body: light, in: "application/cbor") }),
            (.noWriter, { try await manager.post("a", body: light, headers: ["Content-Type": "nonsense"]) }),
            (.writing, { try await manager.post("a", body: heavy) }),
            (.writing, { try await manager.post("a", body: "茶", in: "text/plain; charset=iso-8859-1") }),
            (
                .writing,
                {
                    let (parcels, feed) = AsyncStream.makeStream(of: Parcel.self)
                    feed.yield(heavy)
                    feed.finish()
                    try await manager.upload(.elements(parcels, in: .ndjson), to: "a")
                }
            ),
            (.status, { try await refusing.post("a", body: light) }),
        ]
        var sentences = ""
        for (code, call) in calls {
            let error = await #expect(throws: SessionError.self) { try await call() }
            #expect(error?.code == code)
            #expect(error?.request?.url.path() == "/a")
            #expect(error.map { "\($0)".hasPrefix("POST api.example.com/a: \($0.reason)") } == true)
            sentences += "\(error?.reason ?? "no error")\n"
        }
        #expect(stub.requests.isEmpty)
        #expect(try Markdown("Documentation/Errors.md").blocks(of: "text").last == sentences)
    }

    @Test("its Swift is compiled, and its manifests load without a warning")
    func compiled() throws {
        let page = try Markdown("Documentation/Bodies.md")
        #expect(page.blocks(of: "swift").count > 15)
        #expect(try page.swift(missingIn: ["Tests/PatchbayTests/RequestExamples.swift"]) == [])
        var factories = SerializerFactories.standard
        try factories.register("tsv") { RequestExamples.TSV() }
        #expect(try page.expectManifests(factories) == 4)
    }

    /// A manager over a server that answers with what it was sent, unless it is told otherwise.
    private static func echo(
        _ registry: SerializerRegistry = .standard,
        _ reply: @escaping @Sendable (TransportRequest) -> StubReply = { request in
            StubReply(
                fields: request.head.fields["Content-Type"].map { ["Content-Type": $0] } ?? [:],
                chunks: [request.body?.data ?? Data()])
        }
    ) throws -> (SessionManager, StubTransport) {
        let stub = StubTransport(reply)
        let base = try #require(URL(string: "https://api.example.com"))
        return (SessionManager(baseURL: base, registry: registry, transport: stub), stub)
    }

    /// Method, path and media type, and the body as text in its charset.
    private static func line(_ request: TransportRequest) -> String {
        let type = request.head.fields["Content-Type"].flatMap { MediaType(parsing: $0) }
        let body = request.body?.data ?? Data()
        let isLatin = type?[parameter: "charset"] == "iso-8859-1"
        let text = (isLatin ? String(data: body, encoding: .isoLatin1) : nil) ?? String(decoding: body, as: UTF8.self)
        return "\(request.head.method) \(request.head.url.path()) \(type?.description ?? "no type") \(text)"
    }
}
