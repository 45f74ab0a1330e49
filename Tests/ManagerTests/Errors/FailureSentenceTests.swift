import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// The exact sentences of the errors that stand underneath a `SessionError`, code by code.
@Suite(.timeLimit(.minutes(5))) struct FailureSentenceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let code: String
        let sentence: String
        let provoke: @Sendable () async throws -> Void
        var testDescription: String { "\(code): \(sentence)" }

        init(_ code: String, _ sentence: String, _ provoke: @escaping @Sendable () async throws -> Void) {
            self.code = code
            self.sentence = sentence
            self.provoke = provoke
        }
    }

    /// Makes the body of a form, which says why it cannot be sent.
    private static func form(
        boundary: String? = nil, _ change: (inout MultipartFormData) throws -> Void = { _ in }
    ) throws {
        var form = MultipartFormData(boundary: boundary)
        try change(&form)
        _ = try form.makeSource()
    }

    private static func part(headers: HeaderFields) throws {
        try form { $0.append(.data(Data()), headers: headers) }
    }

    private static func file(_ path: String) throws {
        try form { $0.append(file: URL(filePath: path), name: "f") }
    }

    private static func write(_ change: (inout MultipartFormData) -> Void = { _ in }, to url: URL) async throws {
        var form = MultipartFormData()
        change(&form)
        try await form.write(to: url)
    }

    /// Reads as much of a source as there is room for.
    private static func read(_ source: some RequestBodySource) throws {
        _ = try withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { try source.read(into: $0) }
    }

    static let contentRows: [Row] = [
        Row("invalidBoundary", "the boundary of a multipart form is not one that can be sent") {
            try form(boundary: "a b")
        },
        Row("invalidName", "the name of a part or of its file has a line break or a control character in it") {
            try form { $0.append("x", name: "a\nb") }
        },
        Row("invalidHeader", "in a part of the form, a header field name is not a token") {
            try part(headers: ["X Y": "1"])
        },
        Row("invalidHeader", "in a part of the form, the value of header field X has a line feed in it") {
            try part(headers: ["X": "1\n2"])
        },
        Row("headersTooLarge", "the header of a part of the form is larger than 16384 bytes") {
            try part(headers: ["X": String(repeating: "x", count: 16_384)])
        },
        Row("notFileURL", "the URL of a file to send is no file URL") {
            try form { $0.append(file: try #require(URL(string: "http://h.test/a")), name: "f") }
        },
        Row("missingFile", "there is no file patchbay.txt") { try file("/nonexistent/patchbay.txt") },
        Row("notRegularFile", "null is not a regular file") { try file("/dev/null") },
        Row(
            "unreadableFile", "\(String(repeating: "n", count: 300)) cannot be read (File name too long)"
        ) { try file("/tmp/" + String(repeating: "n", count: 300)) },
        Row("wrongLength", "a part of the form has more or fewer bytes than were announced") {
            var form = MultipartFormData()
            form.append(length: 4, name: "s") { ScriptedSource([.text("abc")]) }
            let source = try form.makeSource()
            for _ in 0..<100 { try read(source) }
        },
        Row("wrongLength", "a.txt has changed since its length was announced") {
            let folder = TemporaryFolder()
            let text = folder.url.appending(path: "a.txt")
            try Data("abc".utf8).write(to: text)
            let source = try FileSource(text)
            try Data("abcd".utf8).write(to: text)
            try read(source)
        },
        Row("streamed", "a body that is streamed can be read only while it is sent") {
            _ = try ConsumedSource(length: 1).read(into: .init(start: nil, count: 0))
        },
        Row("alreadySent", "its sequence was sent before, and can be sent once only (isRepeatable is false)") {
            let chunks = AsyncStream<Data> { $0.finish() }.pass(isRepeatable: false)
            _ = (try chunks(), try chunks())
        },
        Row("invalidTrailer", "a field behind it was not announced") {
            _ = try ContentTrailers(names: ["X-A"]) { ["X-B": "1"] }.fields()
        },
        Row("invalidTrailer", "behind it the value of header field X-A has a line feed in it") {
            _ = try ContentTrailers(names: ["X-A"]) { ["X-A": "1\n2"] }.fields()
        },
        Row("unwritten", "a value can only be written in a call, by an entry of the registry") {
            _ = try RequestContent.value([1]).makeBody()
        },
    ]

    @Test("content, a form or a file, that cannot be sent", arguments: contentRows)
    func content(_ row: Row) async throws {
        let failure = try #require(await #expect(throws: ContentFailure.self) { try await row.provoke() })
        #expect(failure.code.rawValue == row.code)
        #expect(failure.description == row.sentence)
    }

    /// The code of the error of the system, or that of the session error where there is none.
    static let formFileRows: [Row] = [
        Row("file", "the URL to write a form to is no file URL") {
            try await write(to: try #require(URL(string: "http://h.test/a")))
        },
        Row("EEXIST", "there is a file x already") {
            let folder = TemporaryFolder()
            try folder.make(.file, "x")
            try await write(to: folder.url.appending(path: "x"))
        },
        Row("ENOENT", "x cannot be written (No such file or directory)") {
            try await write(to: URL(filePath: "/nonexistent/x"))
        },
        Row(
            "unreadableContent",
            "the content could not be read: a part of the form has more or fewer bytes than were announced"
        ) {
            let folder = TemporaryFolder()
            defer { #expect(folder.names == []) }
            try await write(
                { form in form.append(length: 4, name: "s") { ScriptedSource([.text("abc")]) } },
                to: folder.url.appending(path: "form"))
        },
        Row("invalidRequest", "the URL of a file to send is no file URL") {
            let folder = TemporaryFolder()
            defer { #expect(folder.names == []) }
            let url = try #require(URL(string: "http://h.test/a"))
            try await write({ $0.append(file: url, name: "f") }, to: folder.url.appending(path: "form"))
        },
    ]

    @Test("a form that cannot be written to a file", arguments: formFileRows)
    func formFile(_ row: Row) async throws {
        let error = try #require(await #expect(throws: SessionError.self) { try await row.provoke() })
        #expect(error.description == row.sentence)
        guard let cause = error.cause else {
            #expect(error.code.rawValue == row.code)
            return
        }
        #expect(error.code == .file)
        #expect((cause as? POSIXError)?.code == (row.code == "EEXIST" ? .EEXIST : .ENOENT))
    }

    @Test("no code of content is without a row")
    func contentCodes() throws {
        #expect(try DeclaredErrors.codes(of: "ContentFailure.Code") == Set(Self.contentRows.map(\.code)))
    }

    private static func download(
        to destination: @escaping @Sendable (TemporaryFolder) -> DownloadDestination,
        calls: @escaping @Sendable (inout FileCalls) -> Void = { _ in }
    ) -> @Sendable () async throws -> Void {
        {
            let folder = TemporaryFolder()
            for (kind, name) in [
                (TemporaryFolder.Kind.file, "file"), (.folder, "folder"), (.link, "link"), (.pipe, "pipe"),
            ] {
                try folder.make(kind, name)
            }
            var configuration = SessionConfiguration()
            calls(&configuration.fileCalls)
            let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
            _ = try await manager.savedValue(of: SessionRequest("a"), to: destination(folder), as: Int.self)
        }
    }

    private static func at(_ path: String) -> @Sendable (TemporaryFolder) -> DownloadDestination {
        { .file($0.url.appending(path: path)) }
    }

    @Sendable private static func fail<Result: BinaryInteger>(_ code: Int32) -> Result {
        errno = code
        return -1
    }

    static let fileRows: [Row] = [
        Row("system", "file cannot be written: File exists; replacingFile() replaces it", download(to: at("file"))),
        Row("system", "x cannot be written: No such file or directory", download(to: at("missing/x"))),
        Row("system", "x cannot be written: Not a directory", download(to: at("file/x"))),
        Row(
            "system", "x cannot be written: Permission denied",
            download(to: at("x")) { $0.create = { _, _ in fail(EACCES) } }),
        Row(
            "system", "x cannot be written: No space left on device",
            download(to: at("x")) { $0.write = { _, _ in fail(ENOSPC) } }),
        Row(
            "system", "x cannot be written: Input/output error",
            download(to: at("x")) { $0.sync = { _ in fail(EIO) } }),
        Row(
            "system", "x cannot be read: Input/output error",
            download(to: at("x")) { $0.read = { _, _, _ in fail(EIO) } }),
        Row("other", "x cannot be resumed: its .part file is gone") {
            let origin = ResumableOrigin(cuts: [5_000])
            let (_, resumption) = try await origin.begin()
            resumption.discard()
            _ = try await origin.manager().download(SessionRequest("file"), to: .rest(of: resumption))
        },
        Row("inUse", "x cannot be resumed: another call is at it") {
            let origin = ResumableOrigin(cuts: [5_000])
            let (_, resumption) = try await origin.begin()
            var holder = try PartialFile(resumption.file, resuming: resumption, .system)
            defer { holder.letGo() }
            _ = try await origin.manager().download(SessionRequest("file"), to: .rest(of: resumption))
        },
        Row("other", "folder cannot be written: there is a folder of that name", download(to: at("folder"))),
        Row("other", "link cannot be written: there is a symbolic link of that name", download(to: at("link"))),
        Row("other", "pipe cannot be written: what is there is not a plain file", download(to: at("pipe"))),
        Row(
            "other", "x cannot be written: its folder could not be made",
            download(to: { DownloadDestination.file($0.url.appending(path: "file/deep/x")).creatingFolders() })),
        Row(
            "other", "/ cannot be written: the URL names no file",
            download(to: { _ in .file(URL(filePath: "/")) })),
        Row(
            "other", "the destination cannot be written: choosing it failed with Shout",
            download(to: { _ in .chosen { _ in throw TestRegistry.Shout() } })),
        Row(
            "other", "the destination cannot be written: it was left to a second choice",
            download(to: { _ in .chosen { _ in .chosen { _ in .temporary } } })),
    ]

    @Test("a file of a download that cannot be written, read again or resumed", arguments: fileRows)
    func file(_ row: Row) async throws {
        let error = try #require(await #expect(throws: SessionError.self) { try await row.provoke() })
        #expect(error.code == .file)
        #expect(error.reason == row.sentence)
        guard row.code == "system" else {
            #expect(error.cause == nil)
            return
        }
        let cause = try #require(error.cause as? POSIXError)
        #expect(row.sentence.contains(": " + SystemError.words(cause.code.rawValue)))
    }

    @Test("no cause of a file's failure is without a row, nor is an act")
    func fileCauses() throws {
        let acts = Self.fileRows.flatMap { $0.sentence.matches(of: /cannot be (\w+):/).map { String($0.1) } }
        #expect(try DeclaredErrors.cases(of: "FileFailure.Cause") == Set(Self.fileRows.map(\.code)))
        #expect(try DeclaredErrors.codes(of: "FileFailure.Act") == Set(acts))
    }

    static let values: [(type: String, name: String, error: any Error & Sendable, sentence: String)] = [
        (
            "AuthenticationFailure", "missingCredential", AuthenticationFailure.missingCredential,
            "there is no credential"
        ),
        (
            "AuthenticationFailure", "excessiveRefresh", AuthenticationFailure.excessiveRefresh,
            "the credential was renewed too often"
        ),
        (
            "AuthenticationFailure", "replacedCredential", AuthenticationFailure.replacedCredential,
            "another interceptor replaced its credential each time"
        ),
        (
            "AuthenticationFailure", "slowRefresh", AuthenticationFailure.slowRefresh(limit: .seconds(60)),
            "the renewal of the credential took longer than 60 s; "
                + "a refresh that calls a manager with this interceptor waits for itself"
        ),
        (
            "AuthenticationFailure", "ownRenewal", AuthenticationFailure.ownRenewal,
            "the refresh of a credential sent it through the same AuthenticationInterceptor, and would wait for itself; "
                + "let refresh use a manager without this interceptor"
        ),
    ]

    @Test("the sentence of each case", arguments: values.indices)
    func value(_ index: Int) {
        #expect("\(Self.values[index].error)" == Self.values[index].sentence)
    }

    @Test("no case is without a row", arguments: ["AuthenticationFailure"])
    func cases(_ type: String) throws {
        #expect(try DeclaredErrors.cases(of: type) == Set(Self.values.filter { $0.type == type }.map(\.name)))
    }

    @Test("a call that was not tried again says what had failed, and nothing of the reason's contents; both are kept")
    func retry() async throws {
        let (manager, _) = try stubManager { _ in .json("1", status: 500) }
        let reason = CocoaError(.fileNoSuchFile, userInfo: ["why": "s3cret"])
        var request = SessionRequest("a")
        request.interceptors = [
            MadeInterceptor(retry: { _, _ in .doNotRetryWithError(reason) })
        ]
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send(request) })
        #expect(error.code == .retryRefused)
        #expect(
            error.description
                == "GET origin.test/a: the status is 500, which is not acceptable (2XX); it was not tried again: "
                + "\(FailureReason(CocoaError(.fileNoSuchFile)))")
        #expect(!error.description.contains("s3cret"))
        #expect((error.cause as? CocoaError)?.code == .fileNoSuchFile)
        let original = try #require(error.original)
        #expect(original.code == .status)
        #expect(original.description == "GET origin.test/a: the status is 500, which is not acceptable (2XX)")
        #expect(original.value as? JSON == 1)
        #expect(original.head?.status == 500)
        #expect(original.cause == nil)
    }
}
