import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    private let folder = TemporaryFolder()

    @Test("1.2.12, 1.10.1: a download gives the URL of its file, which has all of the body")
    func file() async throws {
        let (manager, stub) = try stubManager { _ in StubReply(chunks: [Data("ab".utf8), Data("c".utf8)]) }
        let url = folder.url.appending(path: "out.bin")
        #expect(try await manager.download("a", to: .file(url)).value == url)
        #expect(try Data(contentsOf: url) == Data("abc".utf8))
        #expect(folder.names == ["out.bin"])
        #expect(stub.requests.first?.head.fields["Accept"] == "*/*")
    }

    @Test("1.2.1: the reply of a download decodes its file, as often as it is there and within the limit of the entry")
    func decodedLater() async throws {
        let (manager, _) = try stubManager { request in
            request.head.url.path() == "/words" ? .words("much too long") : .json("[1,2]")
        }
        let reply = try await manager.download("a", to: .file(folder.url.appending(path: "a.json")))
        #expect(try reply.decode(as: [Int].self) == [1, 2])
        #expect(try reply.decode(as: JSON.self) == [1, 2])
        let wrong = #expect(throws: SessionError.self) { try reply.decode(as: [String: Int].self) }
        #expect(wrong?.code == .serialization)
        let long = try await manager.download("words", to: .folder(folder.url))
        let tooLarge = #expect(throws: SessionError.self) { try long.decode(as: [String].self) }
        #expect(tooLarge?.code == .bodyTooLarge)
        try FileManager.default.removeItem(at: reply.value)
        let gone = #expect(throws: SessionError.self) { try reply.decode(as: [Int].self) }
        #expect(gone?.code == .file)
        #expect(gone?.reason == "a.json cannot be read: it is not there any longer")
    }

    @Test("1.10.2: a folder takes the suggested name, a closure chooses by the response, nothing chosen is temporary")
    func destinations() async throws {
        let (manager, _) = try stubManager { _ in
            StubReply(fields: ["Content-Disposition": "attachment; filename=\"../x.csv\""], body: "1")
        }
        #expect(try await manager.download("a", to: .folder(folder.url)).value.lastPathComponent == "x.csv")
        let folder = folder.url
        let chosen = DownloadDestination.chosen { head in
            .file(folder.appending(path: "deep/er/\(head.status).csv")).creatingFolders()
        }
        #expect(try await manager.download(SessionRequest("a"), to: chosen).value.lastPathComponent == "200.csv")
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "deep/er/200.csv").path))
        let temporary = try await manager.download(SessionRequest("a")).value
        #expect(try Data(contentsOf: temporary) == Data("1".utf8))
        try FileManager.default.removeItem(at: temporary)
    }

    @Test("1.5.8, 1.10.6: an error status leaves nothing at the destination, and its body is decoded as the error")
    func errorStatus() async throws {
        let (manager, _) = try stubManager { _ in .json(#"{"reason":"gone"}"#, status: 404) }
        let error = try #require(
            await #expect(throws: SessionError.self) { try await manager.download("a", to: .folder(folder.url)).value })
        #expect(error.code == .status)
        #expect(error.value as? JSON == ["reason": "gone"])
        #expect(folder.names.isEmpty)
    }

    @Test("a part that was not asked for is no whole", arguments: ["1-2/9", "0-2/9", "0-2/*", "0-2/3", "x"])
    func unaskedPart(_ range: String) async throws {
        let (manager, _) = try stubManager { _ in
            StubReply(
                status: 206, fields: ["Content-Type": "application/json", "Content-Range": "bytes \(range)"],
                body: "[1]")
        }
        let isWhole = range == "0-2/3" || range == "x"
        let file = DownloadDestination.file(folder.url.appending(path: "part")).replacingFile()
        for destination in [file, file.resumable()] {
            let error = await failure { try await manager.download(SessionRequest("a"), to: destination) }
            let reason = "the server sent a part, and was asked for the whole"
            #expect(isWhole ? error == nil : error?.reason.hasPrefix(reason) == true)
            #expect(error?.resumption == nil)
            #expect(folder.names == (isWhole ? ["part"] : []))
        }
        let error = await failure { try await manager.get("a", as: [Int].self) }
        #expect((error?.cause as? TransportFailure)?.code == (isWhole ? nil : .truncatedBody))
        // No element of a part is given out.
        let stream = await failure { try await manager.stream("a", of: Data.self) }
        #expect((stream?.cause as? TransportFailure)?.code == (isWhole ? nil : .truncatedBody))
        // With a range of its own, a request gets what it asked for.
        #expect(try await manager.get("a", headers: ["Range": "bytes=1-"], as: [Int].self) == [1])
    }

    private func failure(_ work: () async throws -> some Any) async -> SessionError? {
        do {
            _ = try await work()
            return nil
        } catch {
            return error as? SessionError
        }
    }

    @Test("1.2.3: a download without bytes is an empty file, also where the policy makes no bytes an error")
    func emptyFile() async throws {
        let registry = try TestRegistry.make(policy: #"{ "empty": { "otherwise": "error" } }"#)
        let (manager, _) = try stubManager(registry) { _ in StubReply() }
        let file = folder.url.appending(path: "empty")
        #expect(try await manager.download("a", to: .file(file)).value == file)
        #expect(try Data(contentsOf: file).isEmpty)
        let error = await #expect(throws: SessionError.self) { try await manager.get("a", as: Data.self) }
        #expect(error?.code == .emptyBody)
    }

    @Test("1.4.6: the validator of a download gets its file, all of it, before it has its name")
    func validatedFile() async throws {
        let (manager, _) = try stubManager { _ in StubReply(chunks: [Data("ab".utf8), Data("c".utf8)]) }
        let seen = Guarded<[String]>([])
        func validator(_ words: Set<String>) -> ResponseCheck {
            { head, body, file in
                let text = try file.map { try String(contentsOf: $0, encoding: .utf8) } ?? "no file"
                seen.withLock { $0.append("\(head.status) \(text), \(body.count) bytes beside it") }
                guard words.contains(text) else { throw TestRegistry.Shout() }
            }
        }
        var request = SessionRequest("a")
        request.hook = MadeHook(checks: [validator(["abc"])])
        let file = folder.url.appending(path: "out.txt")
        #expect(try await manager.download(request, to: .file(file)).value == file)
        let typed = folder.url.appending(path: "typed.txt")
        #expect(
            try await manager.savedValue(of: request, to: .file(typed), as: Data.self).value.value == Data("abc".utf8))
        #expect(seen.withLock { $0 } == Array(repeating: "200 abc, 0 bytes beside it", count: 2))
        #expect(folder.names == ["out.txt", "typed.txt"])

        request.hook = MadeHook(checks: [validator([])])
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .file(folder.url.appending(path: "refused.txt")))
        }
        #expect(error?.code == .validation)
        #expect(error?.cause as? TestRegistry.Shout == TestRegistry.Shout())
        #expect(folder.names == ["out.txt", "typed.txt"])

        // A call that is no download has no file.
        _ = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(seen.withLock { $0.last } == "200 no file, 3 bytes beside it")
    }

    @Test("a response that the registry refuses is not saved")
    func refused() async throws {
        let registry = try TestRegistry.make("[]", policy: #"{ "noMatch": "error" }"#)
        let (manager, _) = try stubManager(registry) { _ in .json("1") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.download("a", to: .folder(folder.url)).value
        }
        #expect(error?.code == .noReader)
        #expect(error?.reason.hasPrefix("no entry serializes ") == true)
        #expect(folder.names.isEmpty)
    }

    @Test("a download that breaks off, or is cancelled half-way, leaves no file")
    func brokenOff() async throws {
        let (manager, _) = try stubManager { request in
            if request.head.url.path() == "/cut" {
                return StubReply(body: "abc", failure: TransportFailure(.truncatedBody, "the body ended early"))
            }
            return StubReply(delay: .seconds(3600))
        }
        let error = await #expect(throws: SessionError.self) {
            try await manager.download("cut", to: .folder(folder.url)).value
        }
        #expect(error?.code == .transport)
        #expect(folder.names.isEmpty)

        let call = Task { [folder] in try await manager.download("slow", to: .folder(folder.url)).value }
        while manager.tasks.isEmpty { await Task.yield() }
        #expect(manager.tasks.first?.kind == .download)
        manager.cancelAll()
        let cancelled = await #expect(throws: SessionError.self) { try await call.value }
        #expect(cancelled?.code == .cancelled)
        #expect(folder.names.isEmpty)
    }

    @Test(
        "1.10.3: what is at the destination already is left alone, unless it is a plain file that may be replaced",
        arguments: [
            (
                TemporaryFolder.Kind.file, false,
                String?.some("GET origin.test/a: x cannot be written: File exists; replacingFile() replaces it")
            ),
            (.file, true, nil),
            (.folder, true, "GET origin.test/a: x cannot be written: there is a folder of that name"),
            (.link, true, "GET origin.test/a: x cannot be written: there is a symbolic link of that name"),
            (.pipe, true, "GET origin.test/a: x cannot be written: what is there is not a plain file"),
        ])
    func taken(_ kind: TemporaryFolder.Kind, _ replaces: Bool, _ sentence: String?) async throws {
        try folder.make(kind, "x")
        let (manager, _) = try stubManager { _ in StubReply(body: "new") }
        let plain = DownloadDestination.file(folder.url.appending(path: "x"))
        let destination = replaces ? plain.replacingFile() : plain
        if let sentence {
            let error = await #expect(throws: SessionError.self) {
                try await manager.download(SessionRequest("a"), to: destination)
            }
            #expect(error?.code == .file)
            #expect(error?.description == sentence)
            #expect(error?.head?.status == 200)
            if kind == .link { #expect(folder.names == ["target", "x"]) } else { #expect(folder.names == ["x"]) }
        } else {
            let url = try await manager.download(SessionRequest("a"), to: destination).value
            #expect(try Data(contentsOf: url) == Data("new".utf8))
            #expect(folder.names == ["x"])
        }
    }

    @Test(
        "a place where no file can be is an error that says so, before any byte is kept",
        arguments: [
            ("missing/x", "No such file or directory", ENOENT), ("file/x", "Not a directory", ENOTDIR),
            (String(repeating: "n", count: 300), "File name too long", ENAMETOOLONG),
        ])
    func noPlace(_ path: String, _ reason: String, _ code: Int32) async throws {
        try folder.make(.file, "file")
        let (manager, _) = try stubManager { _ in StubReply(body: "new") }
        let url = folder.url.appending(path: path)
        let error = await #expect(throws: SessionError.self) { try await manager.download("a", to: .file(url)).value }
        #expect(error?.description == "GET origin.test/a: \(url.lastPathComponent) cannot be written: \(reason)")
        #expect((error?.cause as? POSIXError)?.code.rawValue == code)
        #expect(folder.names == ["file"])
    }

    @Test(
        "a name of one's own is one component of the folder, whatever is in it",
        arguments: [
            ("a%2Fb", "a%2Fb"), ("a%00b", "a%00b"), ("%CC%81x", "\u{301}x"), ("..%EF%B8%8F", "..\u{FE0F}"),
            ("a%0Ab", "a\nb"),
            ("a" + String(repeating: "%CC%81", count: 120), "a" + String(repeating: "\u{301}", count: 120)),
        ])
    func ownName(_ component: String, _ name: String) async throws {
        let (manager, _) = try stubManager { _ in StubReply(body: "new") }
        let url = try #require(URL(string: folder.url.absoluteString + "/" + component))
        #expect(try await manager.download(SessionRequest("a"), to: .file(url)).value == url)
        #expect(folder.names.map { Array($0.utf8) } == [Array(name.utf8)])
    }

    @Test("a URL that names no file is an error", arguments: ["%2E%2E", "%2E", "%FF", ""])
    func noName(_ component: String) async throws {
        let (manager, _) = try stubManager { _ in StubReply(body: "new") }
        let url = try #require(URL(string: folder.url.absoluteString + "/" + component))
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(SessionRequest("a"), to: .file(url))
        }
        #expect(
            error?.description.hasSuffix(component.isEmpty ? "there is a folder of that name" : "the URL names no file")
                == true)
        #expect(folder.names == [])
    }

    @Test("1.2.1, 1.2.13: a finished file is serialized, within the limits of its entry, and stays when that fails")
    func serialized() async throws {
        let (manager, _) = try stubManager { request in
            request.head.url.path() == "/words" ? .words("123456789") : .json("[1,2]")
        }
        let url = folder.url.appending(path: "x")
        let reply = try await manager.savedValue(of: SessionRequest("a"), to: .file(url), as: [Int].self)
        #expect(reply.value.value == [1, 2])
        #expect(reply.value.file == url)
        #expect(reply.entry == "json")
        #expect(try Data(contentsOf: url) == Data("[1,2]".utf8))

        let replacing = DownloadDestination.file(url).replacingFile()
        let large = await #expect(throws: SessionError.self) {
            try await manager.savedValue(of: SessionRequest("words"), to: replacing, as: [String].self)
        }
        #expect(large?.code == .bodyTooLarge)
        #expect(try Data(contentsOf: url) == Data("[1,2]".utf8))
        #expect(folder.names == ["x"])

        let wrong = await #expect(throws: SessionError.self) {
            try await manager.savedValue(of: SessionRequest("a"), to: replacing, as: [String].self)
        }
        #expect(wrong?.code == .serialization)
        #expect(folder.names == ["x"])
    }

    @Test("a plain file has no limit on its size and no total timeout")
    func unlimited() async throws {
        let registry = try TestRegistry.make(policy: #"{ "limits": { "maxBodyBytes": 4 } }"#)
        var configuration = SessionConfiguration()
        configuration.totalTimeout = .zero
        let (manager, _) = try stubManager(registry, configuration: configuration) { _ in
            StubReply(chunks: (0..<100).map { _ in Data(repeating: 1, count: 1000) })
        }
        let url = try await manager.download("a", to: .file(folder.url.appending(path: "x"))).value
        #expect(try Data(contentsOf: url).count == 100_000)
    }
}
