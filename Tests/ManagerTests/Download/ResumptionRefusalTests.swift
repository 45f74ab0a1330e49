import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// What is not resumed, and that nothing is lost by it.
@Suite(.timeLimit(.minutes(5))) struct ResumptionRefusalTests {
    private let request = SessionRequest("file")

    /// A response that is not the rest of the file, and the end of the sentence about it.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let change: @Sendable (inout StubReply) -> Void

        init(_ name: String, _ reason: String, _ change: @escaping @Sendable (inout StubReply) -> Void) {
            (testDescription, self.reason, self.change) = (name, reason, change)
        }

        static func range(_ name: String, _ value: String?) -> Answer {
            Answer(name, "the response has no Content-Range that begins at byte 5000") {
                $0.fields["Content-Range"] = value
            }
        }
    }

    @Test(
        "1.10.4: after a response that is not the rest of the file, the call asks for the whole file, once",
        arguments: [
            .range("no Content-Range", nil), .range("another unit", "pages 5000-9999/10000"),
            .range("from the start", "bytes 0-9999/10000"), .range("one too late", "bytes 5001-9999/10000"),
            .range("backwards", "bytes 5000-4999/10000"), .range("beyond its end", "bytes 5000-10000/10000"),
            .range("unsatisfied", "bytes */10000"), .range("no number", "bytes 5000-x/10000"),
            .range("too large a number", "bytes 5000-99999999999999999999/*"),
            Answer("two ranges", "the response has no Content-Range that begins at byte 5000") {
                $0.fields.append("bytes 5000-9999/10000", for: "Content-Range")
            },
            Answer("another ETag", "the response is of another version: its ETag is missing or differs") {
                $0.fields["ETag"] = "\"v2\""
            },
            Answer("a weak ETag", "the response is of another version: its ETag is missing or differs") {
                $0.fields["ETag"] = "W/\"v1\""
            },
            Answer("no ETag", "the response is of another version: its ETag is missing or differs") {
                $0.fields["ETag"] = nil
            },
            Answer("another length", "the response does not say the length of the file, or another than before") {
                $0.fields["Content-Range"] = "bytes 5000-9999/10001"
            },
            Answer("a coding", "the response has a content coding") { $0.fields["Content-Encoding"] = "gzip" },
            Answer("another status", "the status is 203, neither 206 nor 200") { $0.status = 203 },
            Answer("no such range", "the status is 416, which is not acceptable (2XX)") { $0 = StubReply(status: 416) },
        ] as [Answer])
    func refused(_ answer: Answer) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        origin.change { if $0.status == 206 { answer.change(&$0) } }
        let (log, failures) = retries()
        _ = try await origin.manager(configuration: log).download(request, to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.folder.names == ["x"])
        #expect(origin.requests.map { $0.fields["Range"] } == [nil, "bytes=5000-", nil])
        #expect(origin.requests.map { $0.fields["If-Range"] } == [nil, "\"v1\"", nil])
        let heard = try #require(await failures.value)
        #expect(heard.description.hasSuffix(answer.reason), "\(heard)")
    }

    /// A configuration whose observer hears of retries, and the failure before the first of them.
    private func retries() -> (SessionConfiguration, Task<SessionError?, Never>) {
        let (failures, feed) = AsyncStream.makeStream(of: SessionError.self)
        var configuration = SessionConfiguration()
        configuration.observers = [
            MadeObserver { event in
                if case .retrying(let failure) = event.stage { feed.yield(failure) }
                if case .finished = event.stage { feed.finish() }
            }
        ]
        return (configuration, Task { await failures.first { _ in true } })
    }

    @Test(
        "if the whole file does not come either, nothing is lost, and the next call asks for the rest again",
        arguments: [(416, 503, SessionError.Code.status), (206, 203, .resumption), (206, 206, .resumption)])
    func refusedTwice(_ rest: Int, _ whole: Int, _ code: SessionError.Code) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        origin.change { reply in
            reply = StubReply(
                status: reply.status == 206 ? rest : whole, fields: ["Content-Type": "text/plain", "ETag": "\"v2\""],
                body: "no")
        }
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: resumption))
        }
        #expect(error?.code == code)
        #expect(error?.retries == 0)
        #expect(error?.resumption == resumption)
        #expect(origin.requests.map { $0.fields["Range"] } == [nil, "bytes=5000-", nil])
        #expect(origin.folder.names == [resumption.part.lastPathComponent])
        #expect(try Data(contentsOf: resumption.part) == origin.body.prefix(5_000))
        origin.change { _ in }
        _ = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.requests.last?.fields["Range"] == "bytes=5000-")
    }

    @Test("1.10.4: after the whole file broke off, a retry asks for its rest")
    func wholeRetried() async throws {
        let origin = ResumableOrigin(cuts: [5_000, 0, 7_000])
        let (_, resumption) = try await origin.begin()
        origin.change { if $0.fields["Content-Range"]?.hasPrefix("bytes 5000") == true { $0 = StubReply(status: 416) } }
        var configuration = SessionConfiguration()
        configuration.interceptors = [MadeInterceptor(retry: { _, _ in .retry })]
        _ = try await origin.manager(configuration: configuration).download(request, to: .rest(of: resumption))
        #expect(origin.requests.map { $0.fields["Range"] } == [nil, "bytes=5000-", nil, "bytes=7000-"])
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("a part is not the whole file that the call asked for, even if it is the missing one")
    func partForWhole() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        origin.change { [body = origin.body] reply in
            guard reply.status != 206 else {
                reply = StubReply(status: 416)
                return
            }
            reply.status = 206
            reply.fields["Content-Range"] = "bytes 5000-9999/10000"
            reply.fields["Content-Length"] = "5000"
            reply.chunks = [body.dropFirst(5_000)]
        }
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: resumption))
        }
        #expect(
            error?.description == "GET origin.test/file: the server sent a part, and was asked for the whole")
        #expect(error?.resumption == resumption)
    }

    @Test("1.10.4: a whole file that breaks off is resumed where it broke off")
    func wholeBreaksOff() async throws {
        let origin = ResumableOrigin(cuts: [5_000, 0, 7_000])
        let (_, resumption) = try await origin.begin()
        origin.change { if $0.status == 206 { $0 = StubReply(status: 416) } }
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: resumption))
        }
        #expect(error?.code == .transport)
        let rest = try #require(error?.resumption)
        #expect(rest.bytes == 7_000)
        origin.change { _ in }
        _ = try await origin.manager().download(request, to: .rest(of: rest))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.folder.names == ["x"])
    }

    @Test("a length that nobody ever said: the whole file is asked for, since nobody could say when it is complete")
    func noLength() async throws {
        let origin = ResumableOrigin(cuts: [5_000], saysLength: false)
        let (_, resumption) = try await origin.begin()
        origin.change { if $0.status == 206 { $0.fields["Content-Range"] = "bytes 4999-9999/*" } }
        let (log, failures) = retries()
        _ = try await origin.manager(configuration: log).download(request, to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(await failures.value?.code == .resumption)
    }

    @Test("an error status leaves everything as it was", arguments: [401, 412, 503])
    func status(_ status: Int) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        origin.change { $0 = .json(#"{"reason":"no"}"#, status: status) }
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: resumption))
        }
        #expect(error?.code == .status)
        #expect(error?.value != nil)
        #expect(error?.resumption == resumption)
        #expect(try Data(contentsOf: resumption.part) == origin.body.prefix(5_000))
    }

    @Test(
        "no bytes of a body that is longer than its range are taken beyond it, and the whole file is asked for",
        arguments: [("5000-9999", [5_000, 4], 10_000), ("5000-5099", [100, 4_900], 5_100)])
    func tooLong(_ range: String, _ pieces: [Int], _ kept: Int) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        let isWhole = Guarded(false)
        origin.change { [body = origin.body] reply in
            guard reply.status == 206 else {
                if !isWhole.withLock({ $0 }) { reply = StubReply(status: 503) }
                return
            }
            reply.fields["Content-Length"] = nil
            reply.fields["Content-Range"] = "bytes \(range)/10000"
            reply.chunks = [body.dropFirst(5_000).prefix(pieces[0]), Data(repeating: 0x2A, count: pieces[1])]
        }
        let (log, failures) = retries()
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager(configuration: log).download(request, to: .rest(of: resumption))
        }
        #expect(error?.code == .status)
        let heard = try #require(await failures.value)
        #expect((heard.cause as? TransportFailure)?.code == .malformedResponse)
        #expect(
            heard.description == "GET origin.test/file: the response has more bytes than its Content-Range says")
        let rest = try #require(error?.resumption)
        #expect(try Data(contentsOf: rest.part) == origin.body.prefix(kept))
        isWhole.withLock { $0 = true }
        _ = try await origin.manager().download(request, to: .rest(of: rest))
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    private func changed(_ change: (inout SessionRequest) -> Void) -> SessionRequest {
        var request = request
        change(&request)
        return request
    }

    @Test("a status that is acceptable and neither of the two is an error at once", arguments: [503, 429])
    func acceptable(_ status: Int) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        origin.change { $0.status = status }
        let request = changed { $0.acceptableStatus = .any }
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: resumption))
        }
        #expect(error?.code == .resumption)
        #expect(error?.resumption == resumption)
        #expect(origin.requests.count == 2)
    }

    @Test("a call that ends with the refusal sends no further request, and its error has the refusal")
    func endedMeanwhile() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        let count = Guarded(0)
        let transport = PlayedTransport { _, _, receiver throws(TransportFailure) in
            count.withLock { $0 += 1 }
            _ = receiver.receive(status: 416, fields: ["Content-Length": "10"])
            await receiver.stop.fired()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        let (log, failures) = retries()
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport,
            configuration: log)
        let request = changed { $0.totalTimeout = .seconds(2) }
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .rest(of: resumption))
        }
        #expect(error?.code == .totalTimeout)
        #expect((error?.cause as? SessionError)?.head?.status == 416)
        #expect(error?.resumption == resumption)
        #expect(count.withLock { $0 } == 1)
        #expect(await failures.value == nil)
    }

    @Test(
        "a download is resumed by its own request only",
        arguments: [
            SessionRequest("other"), SessionRequest("file?v=2"), SessionRequest("file", method: "POST"),
            SessionRequest("https://origin.test/file"),
        ])
    func otherRequest(_ other: SessionRequest) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(other, to: .rest(of: resumption))
        }
        #expect(error?.code == .resumption)
        #expect(
            error?.description
                == "the download cannot be resumed: it was begun by a request with another method or URL")
        #expect(error?.resumption == resumption)
        #expect(origin.requests.count == 1)
    }

    /// What becomes of a part before it is resumed, and the end of the sentence about it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let change: @Sendable (URL) throws -> Void

        init(_ name: String, _ reason: String, _ change: @escaping @Sendable (URL) throws -> Void) {
            (testDescription, self.reason, self.change) = (name, reason, change)
        }
    }

    @Test(
        "a part that is not what it was is refused, before anything is sent",
        arguments: [
            Change("gone", "its .part file is gone") { try FileManager.default.removeItem(at: $0) },
            Change("a link", "its .part file is a symbolic link") { part in
                let moved = part.deletingLastPathComponent().appending(path: "moved")
                try FileManager.default.moveItem(at: part, to: moved)
                try FileManager.default.createSymbolicLink(at: part, withDestinationURL: moved)
            },
            Change("longer", "its .part file has changed") { part in
                let handle = try FileHandle(forWritingTo: part)
                try handle.seekToEnd()
                try handle.write(contentsOf: Data("x".utf8))
            },
            Change("other bytes", "its .part file has changed") { part in
                let handle = try FileHandle(forWritingTo: part)
                try handle.write(contentsOf: Data("x".utf8))
                try handle.close()
                try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: part.path)
            },
            Change("a copy", "its .part file has changed") { part in
                let bytes = try Data(contentsOf: part)
                let moved = part.deletingLastPathComponent().appending(path: "moved")
                try FileManager.default.moveItem(at: part, to: moved)
                try bytes.write(to: part)
            },
            Change("a pipe", "its .part file has changed") { part in
                try FileManager.default.removeItem(at: part)
                mkfifo(part.path, 0o600)
            },
            Change("a folder", "its .part file is a folder") { part in
                try FileManager.default.removeItem(at: part)
                try FileManager.default.createDirectory(at: part, withIntermediateDirectories: false)
            },
        ])
    func changedPart(_ change: Change) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        try change.change(resumption.part)
        let names = origin.folder.names
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: resumption))
        }
        #expect(error?.code == .file)
        #expect(error?.description == "x cannot be resumed: \(change.reason)")
        #expect(error?.resumption == nil)
        #expect(origin.folder.names == names)
        #expect(origin.requests.count == 1)
    }

    @Test("a part file that belongs to another user is not continued", .enabled(if: geteuid() == 0, "needs root"))
    func partOfAnotherUser() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        try #require(chown(resumption.part.path, 12_345, 12_345) == 0)
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: resumption))
        }
        #expect(error?.code == .file)
        #expect(error?.description == "x cannot be resumed: its .part file belongs to another user")
        #expect(error?.resumption == nil)
        #expect(origin.folder.names == [resumption.part.lastPathComponent])
        #expect(origin.requests.count == 1)
    }

    @Test("a part is resumed by one call at a time")
    func oneAtATime() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        let manager = try origin.manager()
        var holder = try PartialFile(resumption.file, resuming: resumption, .system)
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .rest(of: resumption))
        }
        #expect(error?.description == "x cannot be resumed: another call is at it")
        #expect(error?.resumption != nil)
        holder.letGo()
        let isFirst = Guarded(true)
        let second = Guarded<FileFailure?>(nil)
        var slow = request
        // Runs while the first call has the part open.
        slow.validators = [
            { _, _ in
                guard
                    isFirst.withLock({ isFirst in
                        defer { isFirst = false }
                        return isFirst
                    })
                else { return }
                do throws(FileFailure) {
                    _ = try PartialFile(resumption.file, resuming: resumption, .system)
                } catch {
                    second.withLock { $0 = error }
                }
            }
        ]
        _ = try await manager.download(slow, to: .rest(of: resumption))
        // What is written to has another name.
        #expect(second.withLock { $0 }?.description == "x cannot be resumed: its .part file is gone")
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("a name that was taken in the meantime is an error, and nothing is lost")
    func taken() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        try origin.folder.make(.file, "x")
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: resumption))
        }
        #expect(error?.description == "x cannot be written: File exists; replacingFile() replaces it")
        #expect(error?.resumption == resumption)
        try FileManager.default.removeItem(at: origin.url)
        _ = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test(
        "what cannot be resumed keeps no part, and the error says why",
        arguments: [
            ([:], "the response has neither an ETag nor a Last-Modified"),
            (["ETag": "W/\"v1\""], "its ETag is weak or malformed"),
            (["ETag": "W/\"v1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], "its ETag is weak or malformed"),
            (
                ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:50:36 GMT"],
                "the response has no ETag, and no Date a minute or more after its Last-Modified"
            ),
            (["ETag": "\"v1\"", "Content-Encoding": "gzip"], "the response has a content coding"),
        ] as [(HeaderFields, String)])
    func noValidator(_ version: HeaderFields, _ reason: String) async throws {
        let origin = ResumableOrigin(RangedFile(bytes: 10_000, version: version), cuts: [5_000])
        let error = await #expect(throws: SessionError.self) { try await origin.begin() }
        #expect(error?.code == .transport)
        #expect(error?.description == "GET origin.test/file: the body ended early; it cannot be resumed: \(reason)")
        #expect(error?.resumption == nil)
        #expect(origin.folder.names == [])
    }

    @Test("a POST and a part that was asked for by its sender are not resumed; nor is what has no byte yet")
    func notOffered() async throws {
        let origin = ResumableOrigin(cuts: [5_000, 5_000, 0])
        let post = await #expect(throws: SessionError.self) {
            try await origin.begin(SessionRequest("file", method: "POST"))
        }
        #expect(post?.reason == "the body ended early; it cannot be resumed: its method is not GET")
        var part = request
        part.headers["Range"] = "bytes=100-"
        let ranged = await #expect(throws: SessionError.self) { try await origin.begin(part) }
        #expect(ranged?.reason == "the body ended early; it cannot be resumed: the status is 206, not 200")
        let empty = await #expect(throws: SessionError.self) { try await origin.begin() }
        #expect(empty?.reason == "the body ended early")
        #expect(origin.folder.names == [])
    }
}
