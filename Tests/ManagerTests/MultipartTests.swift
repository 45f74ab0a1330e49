import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct MultipartTests {
    private func text(_ form: MultipartFormData) async throws -> String {
        let body = RequestBody.source(try form.makeSource())
        return String(decoding: try await body.collected(unless: OneShot()).bytes, as: UTF8.self)
    }

    @Test("1.8.13: parts from memory, files and sources, between boundaries, with the exact length")
    func parts() async throws {
        let folder = try PartFiles()
        var form = MultipartFormData(boundary: "B")
        form.append("x y", name: "text")
        form.append(Data([0x7B]), name: "data", fileName: "a.json")
        form.append(file: try folder.write("file!", as: "b.TXT"), name: "file")
        form.append(length: 3, name: "source", fileName: "c", type: "a/b") { ScriptedSource([.text("abc")]) }
        form.append(.data(Data("own".utf8)), headers: ["X-Own": "1"])
        let expected = [
            "--B", #"Content-Disposition: form-data; name="text""#, "", "x y",
            "--B", #"Content-Disposition: form-data; name="data"; filename="a.json""#, "Content-Type: application/json",
            "", "{", "--B", #"Content-Disposition: form-data; name="file"; filename="b.TXT""#,
            "Content-Type: text/plain", "", "file!", "--B",
            #"Content-Disposition: form-data; name="source"; filename="c""#, "Content-Type: a/b", "", "abc", "--B",
            "X-Own: 1", "Content-Type: application/octet-stream", "", "own", "--B--", "",
        ].joined(separator: "\r\n")
        #expect(try await text(form) == expected)
        #expect(form.length == Int64(expected.utf8.count))
        #expect(form.contentType == "multipart/form-data; boundary=B")
    }

    @Test(
        "1.8.13: a part of content: the length of bytes is known, that of other content is not, and fields name the type"
    )
    func content() async throws {
        var form = MultipartFormData(boundary: "B")
        form.append(.data(Data("own".utf8), type: "a/b"), headers: [:])
        form.append(.data(Data("{}".utf8)), headers: ["Content-Type": "c/d"])
        var expected = "--B\r\nContent-Type: a/b\r\n\r\nown\r\n--B\r\nContent-Type: c/d\r\n\r\n{}\r\n--B"
        #expect(form.length == Int64(expected.utf8.count) + 4)
        #expect(try form.makeSource().neverBlocks)
        #expect(try await text(form) == expected + "--\r\n")
        form.append(.value("x", in: "text/plain"), headers: ["X-Own": "1"])
        expected += "\r\nX-Own: 1\r\nContent-Type: text/plain\r\n\r\nx\r\n--B--\r\n"
        #expect(form.length == nil)
        #expect(try await text(form) == expected)
        #expect(try await text(form) == expected)
    }

    @Test("1.8.13: a boundary of its own for every form: 16 hexadecimal digits")
    func boundaries() throws {
        let boundaries = (0..<100).map { _ in MultipartFormData().boundary }
        #expect(Set(boundaries).count == 100)
        #expect(boundaries.allSatisfy { $0.wholeMatch(of: /Boundary\+[0-9A-F]{16}/) != nil })
    }

    @Test(
        "1.9.5: a boundary that cannot be sent is refused",
        arguments: ["", String(repeating: "a", count: 71), "a\r\nb", "a b", "a\"b", "\u{E9}"])
    func boundary(_ boundary: String) async throws {
        let reason = "the boundary of a multipart form is not one that can be sent"
        var form = MultipartFormData(boundary: boundary)
        form.append("x", name: "a\nb")
        #expect(throws: ContentFailure(.invalidBoundary, reason)) { try form.makeSource() }
        #expect(form.length == nil)
        let (manager, stub) = try stubManager { _ in .json("1") }
        for content in [RequestContent.multipart(form), .multipart(MultipartFormData(boundary: boundary))] {
            let error = await #expect(throws: SessionError.self) { try await manager.upload(content, to: "a") }
            #expect(error?.code == .invalidRequest)
        }
        #expect(stub.requests.isEmpty)
    }

    @Test("a boundary that is no token is quoted")
    func quotedBoundary() throws {
        let boundary = String(repeating: "a", count: 69) + "="
        let type = MultipartFormData(boundary: boundary).contentType
        #expect(type.essence == "multipart/form-data")
        #expect("\(type)" == "multipart/form-data;boundary=\"\(boundary)\"")
    }

    @Test("an empty form is its end alone")
    func empty() async throws {
        #expect(try await text(MultipartFormData(boundary: "B")) == "--B--\r\n")
    }

    @Test(
        "names cannot end their line or their quotes",
        arguments: [
            (#"a"b"#, "a%22b"), (#"a\"#, #"a\"#), ("a;b", "a;b"), ("\u{E9}", "\u{E9}"), ("a\r\nX: y", nil),
            ("a\nb", nil), ("a\0", nil), ("\u{7F}", nil),
        ] as [(String, String?)])
    func names(_ name: String, _ written: String?) async throws {
        var form = MultipartFormData(boundary: "B")
        guard let written else {
            let failure = ContentFailure(
                .invalidName, "the name of a part or of its file has a line break or a control character in it")
            expect(failure) { $0.append("", name: name) }
            expect(failure) { $0.append(Data(), name: "a", fileName: name) }
            return
        }
        form.append(Data(), name: name, fileName: name)
        #expect(try await text(form).contains("; name=\"\(written)\"; filename=\"\(written)\"\r\n"))
    }

    @Test("the header of a part holds only what a header may, and not too much")
    func headers() throws {
        expect(
            ContentFailure(
                .invalidHeader,
                "in a part of the form, the value of header field Content-Type has a carriage return in it")
        ) { $0.append(.data(Data()), headers: ["Content-Type": "a/b\r\nX: y"]) }
        expect(
            ContentFailure(.invalidHeader, "in a part of the form, a header field name is not a token")
        ) { $0.append(.data(Data()), headers: ["X Y": "1"]) }
        expect(
            ContentFailure(.headersTooLarge, "the header of a part of the form is larger than 16384 bytes")
        ) { $0.append("", name: String(repeating: "a", count: 16_384)) }
    }

    @Test("the first part that cannot be sent is the reason of the call's failure, before anything is sent")
    func refusal() async throws {
        var form = MultipartFormData()
        form.append("x", name: "good")
        form.append(.data(Data()), headers: ["X Y": "1"])
        form.append("x", name: "a\nb")
        form.append("x", name: "good too")
        #expect(form.length == nil)
        let folder = TemporaryFolder()
        let (manager, stub) = try stubManager { _ in .json("1") }
        let reason = "in a part of the form, a header field name is not a token"
        let error = await #expect(throws: SessionError.self) {
            try await manager.upload(.multipart(form), to: "a")
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == "the request was not sent: " + reason)
        #expect(error?.cause == nil)
        #expect(stub.requests.isEmpty)
        let written = await #expect(throws: SessionError.self) {
            try await form.write(to: folder.url.appending(path: "form"))
        }
        #expect(written?.code == .invalidRequest)
        #expect(written?.reason == reason)
        #expect(folder.names == [])
    }

    /// A form with the part cannot be sent, for that reason, and does not have the part.
    private func expect(
        _ failure: ContentFailure, of append: (inout MultipartFormData) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var form = MultipartFormData()
        append(&form)
        #expect(throws: failure, sourceLocation: sourceLocation) { try form.makeSource() }
        #expect(form.parts.isEmpty, sourceLocation: sourceLocation)
        #expect(form.length == nil, sourceLocation: sourceLocation)
    }

    @Test("1.8.14, 1.9.5: a file part must be a regular file that can be read")
    func files() throws {
        let folder = try PartFiles()
        let rows: [(URL, ContentFailure)] = [
            (
                try #require(URL(string: "http://h.test/a.txt")),
                ContentFailure(.notFileURL, "the URL of a file to send is no file URL")
            ),
            (folder.file("gone.txt"), ContentFailure(.missingFile, "there is no file gone.txt")),
            (URL(fileURLWithPath: "/dev/null"), ContentFailure(.notRegularFile, "null is not a regular file")),
            (
                folder.url,
                ContentFailure(.notRegularFile, "\(folder.url.lastPathComponent) is not a regular file")
            ),
        ]
        for (url, failure) in rows {
            expect(failure) { $0.append(file: url, name: "f") }
        }
    }

    @Test(
        "1.8.14: the type of a file is that of its extension",
        arguments: [
            ("a.png", "image/png"), ("a.b.JPG", "image/jpeg"), ("a", "application/octet-stream"),
            ("a.", "application/octet-stream"), ("a.unheard", "application/octet-stream"),
            (".json", "application/json"),
        ])
    func types(_ name: String, _ type: String) {
        #expect(FileMediaType.ofFile(name) == type)
    }

    @Test("a part that has other bytes than were announced ends the call", arguments: [0, 2, 4, 7])
    func lengths(_ length: Int) async throws {
        var form = MultipartFormData()
        form.append(length: Int64(length), name: "s") { ScriptedSource([.text("a"), .text("b"), .text("c")]) }
        let source = try form.makeSource()
        #expect(
            throws: ContentFailure(.wrongLength, "a part of the form has more or fewer bytes than were announced")
        ) {
            try Self.readAll(source)
        }
    }

    /// A configuration under which each call that failed is tried again once.
    private static var retryingOnce: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor(retry: { _, error in error.retries == 0 ? .retry : .doNotRetry })
        ]
        return configuration
    }

    /// Content that can be read once.
    private static var once: RequestContent {
        .stream(
            AsyncStream { chunks in
                chunks.yield(Data("once".utf8))
                chunks.finish()
            })
    }

    @Test(
        "a form with a part that can be read only once is not begun again, and the error gives the first reason",
        arguments: [503, 307, 401])
    func oneTimePart(_ status: Int) async throws {
        // The other form has a source that is made for each pass.
        for isOnce in [true, false] {
            let tries = Shared(0)
            let (manager, _) = try stubManager(configuration: Self.retryingOnce) { _ in
                let isFirst = tries.withLock { tries in
                    tries += 1
                    return tries == 1
                }
                guard isFirst else { return .json("1") }
                return status == 307 ? .redirect(307, to: "/b") : .json("1", status: status)
            }
            var form = MultipartFormData()
            form.append(length: 1, name: "a") { ScriptedSource([.text("x")], rewinds: false) }
            if isOnce { form.append(Self.once, headers: ["Content-Disposition": "form-data; name=\"b\""]) }
            form.append(Data("y".utf8), name: "c")
            do {
                _ = try await manager.send(SessionRequest("a", method: "POST", content: .multipart(form)))
                #expect(!isOnce)
            } catch {
                #expect(isOnce)
                #expect(error.code == (status == 307 ? .redirectRefused : .status))
                #expect(error.reason.hasSuffix("the body of the request cannot be sent twice"))
            }
            #expect(tries.withLock { $0 } == (isOnce ? 1 : 2))
        }
    }

    @Test("a part that is one source each time is rewound, and a source that refuses is the end of the form")
    func sameSource() async throws {
        for rewinds in [true, false] {
            let (manager, stub) = try stubManager { request in
                request.head.url.path() == "/end" ? .json("1") : .redirect(307, to: "/end")
            }
            let source = ScriptedSource([.text("own")], rewinds: rewinds)
            var form = MultipartFormData(boundary: "B")
            form.append(
                RequestContent("text/x", making: { .source(source) }),
                headers: ["Content-Disposition": "form-data; name=\"a\""])
            form.append("y", name: "b")
            do {
                _ = try await manager.send(SessionRequest("a", method: "POST", content: .multipart(form)))
                #expect(rewinds)
                let bodies = stub.requests.map { $0.body?.data }
                #expect(bodies.count == 2 && bodies[0] == bodies[1])
                #expect(bodies[0].map { String(decoding: $0, as: UTF8.self).contains("\r\n\r\nown\r\n--B") } == true)
            } catch {
                #expect(!rewinds)
                #expect(error.code == .redirectRefused)
            }
        }
    }

    @Test(
        "a sequence that can be sent once is refused each time that it is asked, in a form and alone",
        arguments: [true, false])
    func askedTwice(_ isForm: Bool) async throws {
        let (manager, stub) = try stubManager(configuration: Self.retryingOnce) { _ in .redirect(307, to: "/b") }
        var form = MultipartFormData()
        form.append(Self.once, headers: ["Content-Disposition": "form-data; name=\"b\""])
        let content = isForm ? RequestContent.multipart(form) : Self.once
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: "POST", content: content))
        }
        #expect(error?.code == .redirectRefused)
        #expect(stub.requests.count == 1)
    }

    @Test(
        "a read of no bytes ends its part alone, and an impossible number of bytes the form",
        arguments: [0, -5, 1 << 20])
    func counts(_ count: Int) async throws {
        var form = MultipartFormData(boundary: "B")
        form.append(length: nil, name: "a") { ClaimingSource(count) }
        form.append("y", name: "b")
        let folder = try PartFiles()
        let file = folder.file("form")
        if count == 0 {
            #expect(try await text(form).hasSuffix("name=\"b\"\r\n\r\ny\r\n--B--\r\n"))
            try await form.write(to: file)
            #expect(try String(contentsOf: file, encoding: .utf8) == (try await text(form)))
        } else {
            let error = await #expect(throws: SessionError.self) { try await form.write(to: file) }
            #expect(error?.code == .unreadableContent)
        }
    }

    @Test("a source of unknown length makes the whole unknown, and waits are handed on")
    func unknownLength() async throws {
        var form = MultipartFormData(boundary: "B")
        form.append(length: nil, name: "s") { ScriptedSource([.text("a"), .pause, .text("b")]) }
        #expect(form.length == nil)
        #expect(try await text(form).contains("\r\n\r\nab\r\n--B--\r\n"))
    }

    @Test("a file that changed or went after it was added fails the body")
    func changed() async throws {
        let folder = try PartFiles()
        var form = MultipartFormData()
        form.append(file: try folder.write("abc", as: "a.txt"), name: "f")
        _ = try folder.write("abcd", as: "a.txt")
        #expect(throws: ContentFailure.self) { try Self.readAll(form.makeSource()) }
        try FileManager.default.removeItem(at: folder.file("a.txt"))
        #expect(throws: ContentFailure(.missingFile, "there is no file a.txt")) {
            try Self.readAll(form.makeSource())
        }
        let (manager, stub) = try stubManager { _ in .json("1") }
        let error = await #expect(throws: SessionError.self) { try await manager.upload(.multipart(form), to: "a") }
        #expect(error?.code == .unreadableContent)
        #expect(error?.reason == "the content could not be read: there is no file a.txt")
        #expect(error?.cause == nil)
        #expect(stub.requests.isEmpty)
    }

    @Test("1.8.13: a throttled form comes in pieces no larger than was asked, with waits between")
    func throttle() async throws {
        var form = MultipartFormData(boundary: "B")
        form.append(String(repeating: "x", count: 100), name: "t")
        let whole = try await text(form)
        form.pace = (bytes: 64, delay: .milliseconds(5))
        let source = try form.makeSource()
        var read = ""
        var waits = 0
        var space = [UInt8](repeating: 0, count: 1000)
        reading: while true {
            switch try space.withUnsafeMutableBytes({ try source.read(into: $0) }) {
            case .end: break reading
            case .wait(let signal):
                waits += 1
                await signal.fired()
            case .bytes(let count):
                #expect(count <= 64)
                read += String(decoding: space[..<count], as: UTF8.self)
            }
        }
        #expect(read == whole)
        #expect(waits >= 1)
    }

    @Test("1.8.13: a form can be written to a new file; an old one stays, and a failed one goes")
    func writing() async throws {
        let folder = try PartFiles()
        var form = MultipartFormData(boundary: "B")
        form.append(String(repeating: "x", count: 200_000), name: "t")
        let file = folder.file("form")
        try await form.write(to: file)
        let expected = try await text(form)
        #expect(try String(decoding: Data(contentsOf: file), as: UTF8.self) == expected)
        let existing = await #expect(throws: SessionError.self) { try await form.write(to: file) }
        #expect(existing?.code == .file)
        #expect(existing?.description == "there is a file form already")
        form.append(length: 9, name: "s") { ScriptedSource([.failure]) }
        let failed = folder.file("failed")
        let unread = await #expect(throws: SessionError.self) { try await form.write(to: failed) }
        #expect(unread?.code == .unreadableContent)
        #expect(unread?.cause is ScriptedSource.Failure)
        #expect(!FileManager.default.fileExists(atPath: failed.path))
        let unwritable = await #expect(throws: SessionError.self) {
            try await form.write(to: file.appendingPathComponent("form"))
        }
        #expect(unwritable?.code == .file)
        #expect(unwritable?.description == "form cannot be written (Not a directory)")
    }

    @Test("1.9.5: a large file is read as it is sent, never held whole")
    func streaming() async throws {
        let folder = try PartFiles()
        let file = try folder.write("", as: "large")
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 1 << 31)
        try handle.close()
        var form = MultipartFormData()
        form.append(file: file, name: "f")
        let source = try form.makeSource()
        #expect(try #require(source.length) > 1 << 31)
        var space = [UInt8](repeating: 0, count: 1 << 20)
        var largest = 0
        for _ in 0..<8 {
            if case .bytes(let count) = try space.withUnsafeMutableBytes({ try source.read(into: $0) }) {
                largest = max(largest, count)
            }
        }
        #expect(largest == 1 << 20)
    }

    private static func readAll(_ source: MultipartSource) throws {
        var space = [UInt8](repeating: 0, count: 1000)
        for _ in 0..<1000 {
            if case .end = try space.withUnsafeMutableBytes({ try source.read(into: $0) }) { return }
        }
        Issue.record("the source has no end")
    }
}
