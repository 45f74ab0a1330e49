import Dispatch
import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct UploadTests {
    @Test("1.5.16: data, a file and a stream are uploaded, with their types")
    func contents() async throws {
        let folder = try PartFiles()
        let rows: [(RequestContent, type: String, String)] = [
            (.data(Data("abc".utf8)), "application/octet-stream", "abc"),
            (.file(try folder.write("{}", as: "a.json")), "application/json", "{}"),
            (.file(try folder.write("x", as: "b.json"), type: "text/x"), "text/x", "x"),
            (.file(try folder.write("", as: "empty.txt")), "text/plain", ""),
            (.stream(Anew { ByteChunks(["ab", "", "cd"]) }, isRepeatable: true), "application/octet-stream", "abcd"),
            (
                .stream(Anew { ByteChunks(["ab", "cd"]) }, type: "text/x", length: 4, isRepeatable: true), "text/x",
                "abcd"
            ),
            (.stream(Anew { ByteChunks([]) }, length: 0, isRepeatable: true), "application/octet-stream", ""),
        ]
        for (content, type, text) in rows {
            let (manager, stub) = try stubManager { _ in .json("[1]") }
            #expect(try await manager.send(SessionRequest("a", method: "POST", content: content)).entry == "json")
            #expect(
                try await manager.upload(content, to: "a", method: "PUT", headers: ["X-A": "1"], as: [Int].self) == [1])
            #expect(stub.requests.map(\.head.method) == ["POST", "PUT"])
            #expect(stub.requests.map { $0.head.fields["Content-Type"] } == [type, type])
            #expect(stub.requests.last?.head.fields["X-A"] == "1")
            #expect(stub.requests.map { $0.body?.data } == [Data(text.utf8), Data(text.utf8)])
        }
    }

    #if os(Linux)
        @Test("1.5.16: a file whose size is 0 although it has bytes is sent whole, alone and in a form")
        func unsized() async throws {
            let file = URL(filePath: "/proc/version")
            let bytes = try Data(contentsOf: file)
            try #require(!bytes.isEmpty)
            var form = MultipartFormData()
            form.append(file: file, name: "a")
            #expect(try RequestContent.file(file).makeBody().length == nil)
            #expect(form.length == nil)
            let (manager, stub) = try stubManager { _ in .json("1") }
            _ = try await manager.send(SessionRequest("a", method: "POST", content: .file(file)))
            _ = try await manager.send(SessionRequest("a", method: "POST", content: .multipart(form)))
            #expect(stub.requests.first?.body?.data == bytes)
            #expect(stub.requests.last?.body?.data?.range(of: bytes) != nil)
        }
    #endif

    @Test("1.5.16: a file that becomes longer or shorter while it is sent is named", arguments: [50, 150])
    func changing(_ length: UInt64) throws {
        let folder = try PartFiles()
        let file = try folder.write(String(repeating: "a", count: 100), as: "a.txt")
        guard case .source(let source) = try RequestContent.file(file).makeBody() else {
            Issue.record("a file is no source")
            return
        }
        var pieces = [UInt8](repeating: 0, count: 40)
        _ = try pieces.withUnsafeMutableBytes { try source.read(into: $0) }
        try FileHandle(forWritingTo: file).truncate(atOffset: length)
        let failure = ContentFailure(.wrongLength, "a.txt has more or fewer bytes than were announced")
        #expect(throws: failure) {
            for _ in 0..<4 { _ = try pieces.withUnsafeMutableBytes { try source.read(into: $0) } }
        }
        _ = try folder.write(String(repeating: "b", count: 100), as: "a.txt")
        try source.rewind()
        #expect(throws: Never.self) { try pieces.withUnsafeMutableBytes { try source.read(into: $0) } }
    }

    @Test("1.5.16: a file that is empty has the length 0")
    func empty() throws {
        let folder = try PartFiles()
        #expect(try RequestContent.file(folder.write("", as: "a")).makeBody().length == 0)
    }

    @Test("1.5.16: a file that cannot be sent fails the request before anything is sent, and is named")
    func badFiles() async throws {
        let folder = try PartFiles()
        let rows: [(URL, ContentFailure.Code, String)] = [
            (folder.file("gone.txt"), .missingFile, "there is no file gone.txt"),
            (folder.url, .notRegularFile, "\(folder.url.lastPathComponent) is not a regular file"),
            (
                try #require(URL(string: "http://h.test/a")), .notFileURL,
                "the URL of a file to send is no file URL"
            ),
            (
                try folder.write("", as: "a").appending(path: "b"), .missingFile, "there is no file b"
            ),
        ]
        for (url, code, reason) in rows {
            let (manager, stub) = try stubManager { _ in .json("1") }
            let error = await #expect(throws: SessionError.self) {
                try await manager.send(SessionRequest("a", method: "POST", content: .file(url)))
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.cause == nil)
            #expect(error?.description == "the request was not sent: " + reason)
            #expect(throws: ContentFailure(code, reason)) { try RequestContent.file(url).makeBody() }
            #expect(stub.requests.isEmpty)
        }
    }

    @Test(
        "1.5.16: content of another length than was announced fails, wherever the difference shows",
        arguments: [
            (["abc"], 2), (["abc"], 4), (["ab", "c"], 2), (["ab", "c"], 4), (["a", "", "b"], 1), ([], 1), (["a"], 0),
        ])
    func wrongLength(_ texts: [String], _ length: Int) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(
                SessionRequest(
                    "a", method: "POST",
                    content: .stream(Anew { ByteChunks(texts) }, length: Int64(length), isRepeatable: true)))
        }
        #expect(error?.code == .unreadableContent)
        #expect(error?.cause == nil)
        #expect(
            error?.description
                == "POST origin.test/a: the content could not be read: the content has more or fewer bytes than were announced"
        )
        #expect(stub.requests.isEmpty)
    }

    @Test("content of less than no bytes is refused before it is sent")
    func negativeLength() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let content = RequestContent.stream(Anew { ByteChunks(["abc"]) }, length: -5, isRepeatable: true)
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: "POST", content: content))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == "the request was not sent: its content cannot have -5 bytes")
        #expect(stub.requests.isEmpty)
    }

    @Test("a body of an announced length gives each byte once, in pieces of any size")
    func exactLength() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let call = manager.held(SessionRequest("a", method: "POST"))
        defer { call.cancel() }
        for size in 1...7 {
            let source = ScriptedSource([.text("a"), .text("b"), .text("c"), .text("d")], length: 4)
            let body = try #require(SentBody(.source(source), to: RequestHead(url: URL(filePath: "/")), of: call.task))
            #expect(body.length == 4)
            for _ in 0..<2 {
                var text = ""
                var space = [UInt8](repeating: 0, count: size)
                while case .bytes(let count) = try space.withUnsafeMutableBytes({ try body.read(into: $0) }) {
                    text += String(decoding: space[..<count], as: UTF8.self)
                }
                #expect(text == "abcd")
                guard case .end = try space.withUnsafeMutableBytes({ try body.read(into: $0) }) else {
                    Issue.record("more after the end")
                    continue
                }
                try body.rewind()
            }
        }
    }

    @Test("1.5.16: what a stream throws is the cause of the failure; the sentence quotes nothing of it")
    func failingStream() async throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(
                SessionRequest(
                    "a", method: "POST",
                    content: .stream(Anew { ByteChunks(["ab"], end: .failure) }, isRepeatable: true)))
        }
        #expect(error?.cause is ByteChunks.Broken)
        #expect(error?.description == "POST origin.test/a: the content could not be read: its source threw Broken")
        struct NoChunks: Error {}
        let unmade = await #expect(throws: SessionError.self) {
            try await manager.send(
                SessionRequest("a", method: "POST", content: RequestContent("text/x") { throw NoChunks() }))
        }
        #expect(unmade?.cause is NoChunks)
    }

    @Test("1.5.21: a redirect and a retry send a stream again, from its first chunk")
    func replay() async throws {
        let made = Guarded(0)
        let count = Guarded(0)
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor(retry: { _, error in error.head?.status == 503 ? .retry : .doNotRetry })
        ]
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            if request.head.url.path() != "/end" { return .redirect(307, to: "/end") }
            let isFirst = count.withLock { count in
                defer { count += 1 }
                return count == 0
            }
            return .json("1", status: isFirst ? 503 : 200)
        }
        _ = try await manager.send(
            SessionRequest(
                "a", method: "POST",
                content: .stream(
                    Anew {
                        made.withLock { $0 += 1 }
                        return ByteChunks(["ab", "cd"])
                    }, length: 4, isRepeatable: true)))
        #expect(stub.requests.map { $0.body?.data } == Array(repeating: Data("abcd".utf8), count: 4))
        #expect(made.withLock { $0 } == 4)
    }

    @Test("a stream is fetched no faster than it is read, but for 256 KiB")
    func backPressure() async throws {
        let size = 200 << 10
        let chunks = ByteChunks("abcdefgh".map { String(repeating: $0, count: size) })
        let source = SequenceSource(length: nil) { chunks }
        var space = [UInt8](repeating: 0, count: 50_000)
        var text = ""
        reading: while true {
            switch try space.withUnsafeMutableBytes({ try source.read(into: $0) }) {
            case .end: break reading
            case .wait(let signal): await signal.fired()
            case .bytes(let count):
                text += String(decoding: space[..<count], as: UTF8.self)
                for _ in 0..<20 { await Task.yield() }
                // One has been fetched that does not fit beside those that wait.
                #expect(chunks.fetched.withLock { $0 } <= (text.utf8.count + FetchedSource.limit) / size + 1)
            }
        }
        #expect(text == "abcdefgh".map { String(repeating: $0, count: size) }.joined())
    }

    @Test("a stream is let go when its call is cancelled, though the task is kept")
    func letGo() async throws {
        let chunks = ByteChunks(["ab"], end: .never)
        let (manager, _) = try stubManager { _ in .json("1") }
        let call = manager.heldUpload(
            SessionRequest("a", method: "POST", content: .stream(Anew { chunks }, isRepeatable: true))
        ).begin()
        await chunks.waits.fired()
        call.cancel()
        await #expect(throws: SessionError.self) { try await call.reply }
        await chunks.cancelled.fired()
        #expect(call.task.state == .cancelled)
    }

    @Test("an upload and a download have no total timeout of the configuration's, a data task has")
    func clocks() async throws {
        var configuration = SessionConfiguration()
        configuration.idleTimeout = nil
        let gate = OneShot()
        let (manager, stub) = try stubManager(configuration: configuration) { _ in
            await gate.fired()
            return .json("1")
        }
        let folder = TemporaryFolder()
        let request = SessionRequest("a", body: "x")
        let upload = manager.heldUpload(request).begin()
        let download = manager.heldDownload(SessionRequest("b"), to: .folder(folder.url)).begin()
        while stub.requests.count < 2 { await Task.yield() }
        #expect(manager.taskList.timeoutCount == 0)
        let data = manager.held(request).begin()
        while stub.requests.count < 3 { await Task.yield() }
        #expect(manager.taskList.timeoutCount == 1)
        gate.fire()
        _ = (try await upload.reply, try await download.reply, try await data.reply)
    }

    @Test("1.5.22: the length of a stream is declared with it, and is the total; a Content-Length cannot be set")
    func expectedLength() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let content = RequestContent.stream(Anew { ByteChunks(["ab", "cd"]) }, length: 4, isRepeatable: true)
        let call = manager.heldUpload(SessionRequest("a", method: "POST", content: content))
        let totals = Guarded<Set<Int64?>>([])
        async let updates: Void = {
            for await update in call.task.uploadUpdates { totals.withLock { _ = $0.insert(update.totalBytes) } }
        }()
        _ = try await call.begin().reply
        await updates
        #expect(totals.withLock { $0 }.isSubset(of: [nil, 4]))
        #expect(call.task.uploadProgress.totalBytes == 4)
        #expect(stub.requests.first?.body?.length == 4)
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(
                SessionRequest("a", method: "POST", content: content, headers: ["Content-Length": "4"]))
        }
        #expect(
            error?.description
                == "the request was not sent: header field Content-Length is written by the transport and cannot be set"
        )
    }
}
