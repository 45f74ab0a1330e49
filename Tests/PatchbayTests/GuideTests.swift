import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// Holds the guide for those who come from AFNetworking or Alamofire to the code. Its states are held by `scripts/parity`.
@Suite(.timeLimit(.minutes(5)))
struct GuideTests {
    private let guide: Markdown

    init() throws { guide = try Markdown("Documentation/ComingFromAFNetworkingOrAlamofire.md") }

    @Test func itsSwiftIsCompiled() throws {
        #expect(guide.blocks(of: "swift").count >= 12)
        #expect(try guide.swift(missingIn: ["Tests/PatchbayTests/GuideExamples.swift"]) == [])
    }

    @Test func itsManifestsLoad() throws { #expect(try guide.expectManifests() >= 2) }

    @Test("Every example of ours stands beside one of theirs, which the compiler does not see")
    func beforeAndAfter() {
        #expect(guide.blocks(of: "objc").count + guide.blocks(of: "swift theirs").count >= 12)
    }

    @Test("Each block of code stands below a label, which says whose it is")
    func labels() throws {
        let sides = ["objc": "AFNetworking", "swift theirs": "Alamofire", "swift": "Patchbay", "json": "Patchbay"]
        let begin = try #require(guide.text.range(of: "## Side by side"))
        let end = try #require(guide.text.range(of: "## Row by row"))
        var (label, isInside, labelled) = ("", false, 0)
        for line in guide.text[begin.upperBound..<end.lowerBound].split(separator: "\n") {
            if line.hasPrefix("```") {
                isInside.toggle()
                guard isInside else { continue }
                #expect(sides[String(line.dropFirst(3))] == label, "\(line) below \(label)")
                labelled += 1
            } else if line.hasPrefix("### ") {
                label = ""
            } else if line.hasPrefix("**"), line.hasSuffix("**") {
                label = String(line.dropFirst(2).dropLast(2))
            }
        }
        #expect(labelled > 40)
    }

    /// What the guide names of Apple's frameworks, in place of what is lost.
    static let apples = """
        URLSessionConfiguration.background(withIdentifier:) URLSessionWebSocketTask NWPathMonitor URLProtocol UIImage NSCache @objc
        loadHTMLString(_:baseURL:)
        """

    @Test("A row that names a setting which differs over URLSession, or is refused there, says so in its last column")
    func overURLSession() throws {
        var names: Set<String> = []
        for line in try Markdown("Documentation/Apple.md").text.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, cells[1].hasPrefix("works"), !cells[2].hasPrefix("works") else { continue }
            names.formUnion(cells[0].matches(of: #/`(\w+)`/#).map { String($0.1) })
        }
        #expect(names.contains("pinnedKeys") && names.contains("cookies"))
        // Words that are in other rows, too.
        names.subtract(["http", "headers", "PatchbayMigration", "onDownloadProgress"])
        var rows = 0
        for line in guide.text.split(separator: "\n") where line.hasPrefix("| 1.") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5 else { continue }
            let codes = cells[2].split(separator: "`", omittingEmptySubsequences: false).enumerated()
            let words = codes.filter { !$0.offset.isMultiple(of: 2) }.map { Self.words(in: String($0.element)) }
            guard words.contains(where: { !$0.isDisjoint(with: names) }) else { continue }
            #expect(cells[4].hasPrefix("differs: ") || cells[4].hasPrefix("refused: "), "\(cells[0])")
            rows += 1
        }
        #expect(rows >= 6)
    }

    /// The properties of `URLSessionConfiguration` that apps set.
    static let properties = """
        httpMaximumConnectionsPerHost timeoutIntervalForRequest timeoutIntervalForResource httpAdditionalHeaders
        requestCachePolicy urlCache httpCookieStorage waitsForConnectivity allowsCellularAccess protocolClasses
        tlsMinimumSupportedProtocolVersion connectionProxyDictionary multipathServiceType urlCredentialStorage
        """

    @Test("The rows of URLSessionConfiguration name ours, and say of URLSession what the page about Apple says")
    func configuration() throws {
        let begin = try #require(guide.text.range(of: "## `URLSessionConfiguration`"))
        let end = try #require(guide.text.range(of: "## Side by side"))
        let section = guide.text[begin.upperBound..<end.lowerBound]
        for name in Self.words(in: Self.properties) { #expect(section.contains("`\(name)"), "\(name)") }
        let settings = try Markdown("Documentation/Apple.md").text.split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let sources = try Self.words(in: Markdown.sources())
        var rows = 0
        for line in section.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 3)
            let codes = cells[1].split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
            for code in codes { #expect(Self.words(in: code).subtracting(sources).isEmpty, "\(code)") }
            let word = codes.last?.split { !$0.isLetter }.last.map { "`\($0)`" } ?? "none"
            let ofApple = settings.first { $0.count == 4 && $0[1].hasPrefix("works") && $0[0].contains(word) }?[2]
            switch ofApple {
            case let said? where said.hasPrefix("in part"): #expect(cells[2].hasPrefix("differs: "), "\(line)")
            case let said? where !said.hasPrefix("works"): #expect(cells[2].hasPrefix("refused: "), "\(line)")
            default: #expect(["same", "not there"].contains(cells[2]) || word == "`usesCookies`", "\(line)")
            }
            rows += 1
        }
        #expect(rows == 15)
    }

    @Test("The first paragraph says that nothing has run on an Apple platform")
    func neverRun() throws {
        let paragraphs = guide.text.split(separator: "\n\n")
        #expect(paragraphs[1].hasPrefix("Patchbay [has never run on an Apple platform](Apple.md)."))
    }

    @Test("The requests of a router are those that its cases name")
    func router() async throws {
        let stub = StubTransport { _ in
            StubReply(fields: ["Content-Type": "application/json"], body: #"{"id": 7, "name": "Ada"}"#)
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test"), registry: .standard, transport: stub)
        #expect(try await GuideExamples.routed(manager).name == "Ada")
        _ = try await manager.send(GuideExamples.Router.list(page: 2).request())
        _ = try await manager.send(GuideExamples.Router.create(.init(name: "Ada")).request())
        #expect(
            stub.requests.map { "\($0.head.method) \($0.head.url.path()) \($0.head.url.query() ?? "")" } == [
                "GET /users/7 ", "GET /users page=2", "POST /users ",
            ])
        #expect(stub.requests.last?.body?.data == Data(#"{"name":"Ada"}"#.utf8))
    }

    @Test("The upload of the guide has a part of bytes with a file name and a media type")
    func upload() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
        try Data("PNG".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let forms = Shared<[String]>([])
        let stub = StubTransport { request in
            let text = String(decoding: request.body?.data ?? Data(), as: UTF8.self)
            forms.withLock { $0.append(text) }
            return StubReply()
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test"), registry: .standard, transport: stub)
        try await GuideExamples.upload(manager, file, file, Data("small".utf8))
        let part = "name=\"thumbnail\"; filename=\"small.png\"\r\nContent-Type: image/png\r\n\r\nsmall\r\n"
        #expect(forms.withLock { $0.filter { $0.contains(part) }.count } == 2)
    }

    @Test("The picture of a view is loaded, and a second one takes its place")
    @MainActor func picture() async throws {
        let stub = StubTransport { request in
            StubReply(
                fields: ["Content-Type": "image/png"], body: request.head.url.path(),
                delay: request.head.url.path() == "/slow.png" ? .seconds(600) : .zero)
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test"), registry: .standard, transport: stub)
        let picture = GuideExamples.Picture()
        picture.load("slow.png", manager)
        #expect(picture.isLoading)
        picture.load("quick.png", manager)
        while picture.isLoading { await Task.yield() }
        #expect(picture.bytes == Data("/quick.png".utf8))
    }

    @Test(
        "Every error of Alamofire, media type of the two and class for views is in it",
        arguments: errors + mediaTypes + views)
    func mentions(_ name: String) {
        #expect(guide.text.contains("`\(name)"))
    }

    @Test("Every name in a cell of ours is in the sources or in the standard manifest")
    func names() throws {
        let known = try Self.words(
            in: Markdown("Plugins.json").text + Markdown("Package.swift").text + Markdown.sources()
                + Markdown("Tests/PatchbayTests/GuideExamples.swift").text + Self.apples)
        var checked = 0
        for line in guide.text.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            // row, theirs, ours, state, Apple; or theirs, ours.
            guard cells.count == 7 || cells.count == 4, !line.contains("| not on this platform |") else { continue }
            for (index, code) in cells[cells.count == 7 ? 3 : 2].split(separator: "`", omittingEmptySubsequences: false)
                .enumerated() where !index.isMultiple(of: 2)
            {
                for word in Self.words(in: String(code)) {
                    let isKnown = known.contains(word)
                    #expect(isKnown, "no source has \(word): \(line)")
                    checked += 1
                }
            }
        }
        #expect(checked > 400)
    }

    static let errors = [
        "createUploadableFailed", "createURLRequestFailed", "downloadedFileMoveFailed", "explicitlyCancelled",
        "invalidURL", "multipartEncodingFailed", "parameterEncodingFailed", "parameterEncoderFailed",
        "requestAdaptationFailed", "requestRetryFailed", "responseValidationFailed", "responseSerializationFailed",
        "serverTrustEvaluationFailed", "sessionDeinitialized", "sessionInvalidated", "sessionTaskFailed",
        "urlRequestValidationFailed",
        "dataFileNil", "dataFileReadFailed", "missingContentType", "unacceptableContentType", "unacceptableStatusCode",
        "customValidationFailed",
        "inputDataNilOrZeroLength", "inputFileNil", "inputFileReadFailed", "stringSerializationFailed",
        "jsonSerializationFailed", "decodingFailed", "customSerializationFailed", "invalidEmptyResponse",
    ]

    static let views = [
        "UIImageView+AFNetworking", "UIButton+AFNetworking", "UIActivityIndicatorView+AFNetworking",
        "UIRefreshControl+AFNetworking", "UIProgressView+AFNetworking", "WKWebView+AFNetworking", "AFImageDownloader",
        "AFAutoPurgingImageCache", "AFNetworkActivityIndicatorManager", "AFNetworkReachabilityManager",
    ]

    static let mediaTypes = [
        "application/json", "text/json", "text/javascript", "application/xml", "text/xml", "application/x-plist",
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
        "image/x-xbitmap", "image/x-win-bitmap", "application/x-www-form-urlencoded", "multipart/form-data",
        "application/octet-stream", "text/html", "text/plain", "application/atom+xml", "application/vnd.*+json",
        "application/problem+json", "application/hal+json", "application/vnd.ogc.wms_xml", "binary/octet-stream",
        "image/jpg", "image/webp", "application/x-ndjson", "text/event-stream", "application/vnd.apple.mpegurl",
    ]

    private static func words(in text: String) -> Set<String> {
        Set(
            text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init).filter {
                !$0.allSatisfy(\.isNumber)
            })
    }

    /// What is sent to a call of `User`, and what the error of the standard registry says of it.
    static let mislabelled: [(type: String?, advice: String)] = [
        (
            "text/html",
            #"request.using = .entry("json"), or "types": ["text/html"] in an entry of the host legacy.example, or "noMatch": "json""#
        ),
        (
            "application/octet-stream",
            #"request.using = .entry("json"), or "types": ["application/octet-stream"] in an entry of the host legacy.example, or "noMatch": "json""#
        ),
        (nil, #"request.using = .entry("json"), or "missingContentType": "json""#),
    ]

    @Test(
        "JSON under another type fails with the ways to read it, and each way of the guide reads it",
        arguments: mislabelled)
    func mislabelledJSON(_ type: String?, _ advice: String) async throws {
        func manager(_ registry: SerializerRegistry) -> SessionManager {
            let transport = StubTransport { _ in
                StubReply(fields: type.map { ["Content-Type": $0] } ?? [:], body: #"{"id": 1, "name": "Ada"}"#)
            }
            return SessionManager(
                baseURL: URL(string: "http://legacy.example"), registry: registry, transport: transport)
        }
        let error = await #expect(throws: SessionError.self) {
            try await manager(.standard).get("users/1", as: User.self)
        }
        #expect(error?.code == .noReader)
        #expect(
            error?.description.contains("; to have json read it, set \(advice) in the policy; ") == true,
            "\(error?.description ?? "")")
        #expect(try await GuideExamples.mislabelled(manager(.standard)) == "Ada")
        let section = try #require(guide.text.components(separatedBy: "### JSON that is not called JSON").last)
        let ways = Markdown(text: section).blocks(of: "json").prefix(2)
        #expect(ways.count == 2)
        for (index, way) in ways.enumerated() where index == 1 || type != nil {
            let registry = try SerializerRegistry.standard.overlaid(by: .text(way, name: "guide"))
            #expect(try await manager(registry).get("users/1", as: User.self).name == "Ada", "way \(index)")
        }
    }

    struct Post: Codable, Equatable, Sendable { let title: String, tags: [String] }

    @Test(
        "1.6.9, 1.8.6, 1.8.11, 1.8.12: each request serializer of AFNetworking is one line of a policy",
        arguments: [
            ("AFHTTPRequestSerializer", "application/x-www-form-urlencoded"),
            ("AFJSONRequestSerializer", "application/json"), ("AFPropertyListRequestSerializer", "application/x-plist"),
        ])
    func requestSerializers(_ theirs: String, _ type: String) async throws {
        let row = try #require(guide.text.split(separator: "\n").first { $0.hasPrefix("| `\(theirs)` | `\"policy\"") })
        let codes = row.split(separator: "`")
        let options = codes.first { $0.hasPrefix("\"options\"") }.map { #", "plugins": [{ "id": "form", \#($0) }]"# }
        let manifest = #"{ "manifestVersion": 1, \#(codes[3])\#(options ?? "") }"#
        let transport = StubTransport { _ in StubReply() }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test"), registry: try SerializerRegistry([.text(manifest)]),
            transport: transport)
        let post = Post(title: "Tea", tags: ["green", "hot"])
        try await manager.post("posts", body: post)
        let sent = try #require(transport.requests.first)
        let body = try #require(sent.body?.data)
        #expect(sent.head.fields["Content-Type"] == type)
        switch type {
        case "application/json": #expect(try JSONDecoder().decode(Post.self, from: body) == post)
        case "application/x-plist": #expect(try PropertyListDecoder().decode(Post.self, from: body) == post)
        default:
            #expect(
                String(decoding: body, as: UTF8.self) == "tags%5B%5D=green&tags%5B%5D=hot&title=Tea")
        }
    }

    @Test("The examples do what their comments say")
    func examples() async throws {
        let transport = StubTransport { request in
            switch request.head.url.path() {
            case "/users/2":
                StubReply(
                    status: 404, fields: ["Content-Type": "application/json"],
                    body: #"{"message": "gone", "reason": "moved"}"#)
            case "/search": StubReply(fields: ["Content-Type": "application/json"], body: "[]")
            case "/log": StubReply(fields: ["Content-Type": "text/plain"], body: "one\ntwo\n")
            default: StubReply(fields: ["Content-Type": "application/json"], body: "{}")
            }
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test"), registry: .standard, transport: transport)
        let printed = Shared<[String]>([])
        try await Printed.$lines.withValue(printed) {
            var configuration = SessionConfiguration()
            try await GuideExamples.parameters(manager, &configuration, .init(name: "Ada"), "Green", 2, nil)
            try await GuideExamples.failure(manager)
            try await GuideExamples.serializer(manager)
            await GuideExamples.pair(manager)
        }
        let sent = transport.requests
        #expect(
            sent.prefix(7).map { $0.body?.data.map { String(decoding: $0, as: UTF8.self) } } == [
                "tags%5B%5D=green&tags%5B%5D=hot&title=Tea", nil, nil, "note&page=2&title=Green", "name=Ada",
                #"{"name":"Ada"}"#,
                #"{"title":"Green","page":2}"#,
            ])
        #expect(sent.dropFirst().first?.head.url.query() == "page=2&q=tea")
        #expect(sent.dropFirst(2).first?.head.url.query() == "q=tea")
        #expect(sent.dropFirst(7).first?.head.url.query(percentEncoded: true) == "page=2&q=green%20tea")
        #expect(
            printed.withLock { $0 } == [
                "0", #"{"message":"gone","reason":"moved"}"#, "moved", "2 2 one\ntwo\n", "gone",
            ])
        let request = try GuideExamples.validation()
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .validation)
        #expect(error?.cause is GuideExamples.NoETag)
    }
}
