import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Downloads that break off and go on.
@Suite(.timeLimit(.minutes(5))) struct ResumptionTests {
    private let request = SessionRequest("file")

    @Test(
        "1.5.16, 1.10.4: a resumed download is equal byte for byte, wherever it was cut",
        arguments: [1, 2, 4_999, 9_998, 9_999, 10_000], [true, false])
    func cut(_ cut: Int, saysLength: Bool) async throws {
        let origin = ResumableOrigin(cuts: [cut], saysLength: saysLength)
        let (error, resumption) = try await origin.begin()
        #expect(error.code == .transport)
        #expect(error.description == "GET origin.test/file: the body ended early")
        #expect(resumption.bytes == cut)
        #expect(resumption.expectedBytes == (saysLength ? 10_000 : nil))
        #expect(resumption.file == origin.url)
        #expect(origin.folder.names == [resumption.part.lastPathComponent])
        #expect(try Data(contentsOf: resumption.part) == origin.body.prefix(cut))

        let reply = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(reply.value == origin.url)
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.folder.names == ["x"])
        // What may be all of it is asked for its last byte again.
        let start = saysLength && cut < 10_000 ? cut : cut - 1
        #expect(origin.requests.map { $0.fields["Range"] } == [nil, "bytes=\(start)-"])
        #expect(origin.requests.map { $0.fields["If-Range"] } == [nil, "\"v1\""])
        #expect(origin.requests.map { $0.fields["Accept-Encoding"] } == ["identity", "identity"])
        #expect(reply.head.status == 206)
    }

    @Test("1.10.4, 1.10.5: a resumed download counts from where it goes on")
    func progress() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        let counts = Guarded<[TransferProgress]>([])
        var configuration = SessionConfiguration()
        configuration.observers = [
            MadeObserver { event in
                guard case .received = event.stage, let task = event.task else { return }
                counts.withLock { $0.append(task.downloadProgress) }
            }
        ]
        _ = try await origin.manager(configuration: configuration).download(request, to: .rest(of: resumption))
        while counts.withLock({ $0.isEmpty }) { await Task.yield() }
        let progress = try #require(counts.withLock { $0.last })
        #expect(progress.completedBytes == 10_000)
        #expect(progress.totalBytes == 10_000)
    }

    @Test(
        "1.10.5: the progress of a resumed download has its total, even if the response has no length",
        arguments: [true, false])
    func total(isKnownBefore: Bool) async throws {
        let origin = ResumableOrigin(cuts: [5_000, 100])
        if !isKnownBefore { origin.change { $0.fields["Content-Length"] = nil } }
        let (_, resumption) = try await origin.begin()
        origin.change { $0.fields["Content-Length"] = nil }
        let call = try origin.manager().heldDownload(request, to: .rest(of: resumption))
        let told = Guarded<[TransferProgress]>([])
        let teller = Task {
            for await progress in call.task.downloadUpdates { told.withLock { $0.append(progress) } }
        }
        while told.withLock({ $0.isEmpty }) { await Task.yield() }
        _ = await #expect(throws: SessionError.self) { try await call.begin().reply }
        await teller.value
        let progress = told.withLock { $0 }
        // If the length is unknown, the last byte is fetched again.
        let first =
            isKnownBefore
            ? TransferProgress(completedBytes: 5_000, totalBytes: 10_000) : TransferProgress(completedBytes: 4_999)
        #expect(progress.first == first)
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.completedBytes <= $1.completedBytes })
        #expect(progress.last == TransferProgress(completedBytes: isKnownBefore ? 5_100 : 5_099, totalBytes: 10_000))
        if isKnownBefore { #expect(progress.allSatisfy { $0.totalBytes == 10_000 }) }
    }

    @Test("1.5.16: a resumed download can be made, and starts when its task is resumed", arguments: [true, false])
    func unstarted(isTyped: Bool) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        let manager = try origin.manager()
        if isTyped {
            let call = manager.heldDownload(request, to: .rest(of: resumption), as: Data.self)
            #expect(manager.tasks.filter { $0.kind == .download }.map(\.id) == [call.task.id])
            #expect(origin.requests.count == 1)
            #expect(try await call.begin().reply.value.value == origin.body)
        } else {
            let call = manager.heldDownload(request, to: .rest(of: resumption))
            #expect(manager.tasks.filter { $0.kind == .download }.map(\.id) == [call.task.id])
            #expect(origin.requests.count == 1)
            #expect(try await call.begin().reply.value == origin.url)
        }
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("1.10.4: one that breaks off again and again goes on each time")
    func manyCuts() async throws {
        let origin = ResumableOrigin(cuts: [10, 20, 0, 30, 9_939])
        var (_, resumption) = try await origin.begin()
        var held = [resumption.bytes]
        for _ in 0..<4 {
            let error = try #require(
                await #expect(throws: SessionError.self) {
                    try await origin.manager().download(request, to: .rest(of: resumption))
                })
            resumption = try #require(error.resumption)
            held.append(resumption.bytes)
            #expect(origin.folder.names == [resumption.part.lastPathComponent])
        }
        #expect(held == [10, 30, 30, 60, 9_999])
        _ = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test(
        "1.10.4: another version, or a server without ranges, is written from the start",
        arguments: [
            RangedFile(bytes: 10_000, version: ["ETag": "\"v2\""]), RangedFile(bytes: 3, version: ["ETag": "\"v2\""]),
            RangedFile(bytes: 20_000, version: [:]),
        ])
    func startsAgain(_ other: RangedFile) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        origin.replace(other)
        let reply = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(reply.head.status == 200)
        #expect(try Data(contentsOf: origin.url) == Data(other.body))
        #expect(origin.folder.names == ["x"])
    }

    @Test("what starts again and breaks off again is resumed as the version that it is then")
    func startsAgainAndBreaks() async throws {
        let origin = ResumableOrigin(cuts: [5_000, 100])
        let (_, first) = try await origin.begin()
        origin.replace(RangedFile(bytes: 700, version: ["ETag": "\"v2\""]))
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: first))
        }
        let second = try #require(error?.resumption)
        #expect(second.bytes == 100)
        #expect(second.expectedBytes == 700)
        _ = try await origin.manager().download(request, to: .rest(of: second))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.requests.last?.fields["If-Range"] == "\"v2\"")
    }

    @Test("a Last-Modified that is old enough stands in for an ETag, and need not be repeated")
    func lastModified() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let origin = ResumableOrigin(
            RangedFile(
                bytes: 100, version: ["Last-Modified": date, "Date": "Sun, 06 Nov 1994 08:50:37 GMT"]), cuts: [40])
        let (_, resumption) = try await origin.begin()
        origin.change { $0.fields["Last-Modified"] = nil }
        _ = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(origin.requests.last?.fields["If-Range"] == date)
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("1.10.4: a retried call goes on from where it broke off")
    func retry() async throws {
        let origin = ResumableOrigin(cuts: [3_000, 4_000])
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        configuration.interceptors = [RetryPolicy()]
        let reply = try await origin.manager(configuration: configuration).download(
            request, to: .file(origin.url).resumable())
        #expect(reply.timeline.retries == 2)
        #expect(origin.requests.map { $0.fields["Range"] } == [nil, "bytes=3000-", "bytes=7000-"])
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.folder.names == ["x"])
    }

    @Test("a retried call that is not resumable starts again, in a part of its own")
    func retryFromStart() async throws {
        let origin = ResumableOrigin(cuts: [3_000])
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        configuration.interceptors = [RetryPolicy()]
        _ = try await origin.manager(configuration: configuration).download(request, to: .file(origin.url))
        #expect(origin.requests.map { $0.fields["Range"] } == [nil, nil])
        #expect(origin.requests.map { $0.fields["Accept-Encoding"] } == [nil, nil])
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.folder.names == ["x"])
    }

    @Test("credentials are dropped on the way to another origin, and the range is kept")
    func redirected() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        var request = SessionRequest("file?to=http://other.test/file")
        request.headers["Authorization"] = "Bearer secret"
        let (_, resumption) = try await origin.begin(request)
        _ = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        let resumed = origin.requests.suffix(2)
        #expect(resumed.map { $0.fields["Authorization"] } == ["Bearer secret", nil])
        #expect(resumed.map { $0.fields["Range"] } == ["bytes=5000-", "bytes=5000-"])
        #expect(resumed.map { $0.fields["If-Range"] } == ["\"v1\"", "\"v1\""])
    }

    @Test("all of a resumed file is serialized, and counts for the limit of its entry")
    func serialized() async throws {
        let version: HeaderFields = ["ETag": "\"v1\"", "Content-Type": "application/json"]
        let origin = ResumableOrigin(RangedFile("[1,2,3]".utf8, version: version), cuts: [3])
        let (_, resumption) = try await origin.begin()
        let reply = try await origin.manager().savedValue(of: request, to: .rest(of: resumption), as: [Int].self)
        #expect(reply.value.value == [1, 2, 3])

        let words: HeaderFields = ["ETag": "\"v1\"", "Content-Type": "text/words"]
        for (text, fits) in [("12345678", true), ("123456789", false)] {
            for saysLength in [true, false] {
                let origin = ResumableOrigin(
                    RangedFile(text.utf8, version: words), cuts: [5], saysLength: saysLength)
                let (_, resumption) = try await origin.begin()
                if fits {
                    let reply = try await origin.manager().savedValue(
                        of: request, to: .rest(of: resumption), as: [String].self)
                    #expect(reply.value.value == [text])
                } else {
                    let error = await #expect(throws: SessionError.self) {
                        try await origin.manager().savedValue(of: request, to: .rest(of: resumption), as: [String].self)
                    }
                    #expect(error?.code == .bodyTooLarge)
                    // One that says how long it is is not begun.
                    #expect(error?.resumption == (saysLength ? resumption : nil))
                    #expect(origin.folder.names.count == (saysLength ? 1 : 0))
                }
            }
        }
    }

    @Test("a range that ends before the file does is a part of the rest, and goes on from there")
    func partOfTheRest() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        origin.change { reply in
            guard reply.status == 206 else { return }
            reply.chunks = reply.chunks.map { $0.prefix(100) }
            reply.fields["Content-Length"] = "100"
            reply.fields["Content-Range"] = "bytes 5000-5099/10000"
        }
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .rest(of: resumption))
        }
        #expect(error?.description == "GET origin.test/file: the server sent a part of the rest only")
        let next = try #require(error?.resumption)
        #expect(next.bytes == 5_100)
        origin.change { _ in }
        _ = try await origin.manager().download(request, to: .rest(of: next))
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("a resumption can be stored, and names no more of the request than a digest")
    func stored() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        var request = SessionRequest("http://me:pw1@origin.test/file?token=t0ken")
        request.headers["X-Secret"] = "s3cret"
        let (_, resumption) = try await origin.begin(request)
        let stored = try JSONEncoder().encode(resumption)
        let text = String(decoding: stored, as: UTF8.self)
        for secret in ["pw1", "t0ken", "s3cret", "origin.test"] { #expect(!text.contains(secret)) }
        let read = try JSONDecoder().decode(DownloadResumption.self, from: stored)
        #expect(read == resumption)
        _ = try await origin.manager().download(request, to: .rest(of: read))
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("a resumption can be stored whatever the file is called", arguments: ["\u{301}x", "x\u{301}", ".x"])
    func storedUnderAnyName(_ name: String) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let url = origin.folder.url.appending(path: name)
        let error = try #require(
            await #expect(throws: SessionError.self) {
                try await origin.manager().download(request, to: .file(url).resumable())
            })
        let stored = try JSONEncoder().encode(#require(error.resumption))
        let read = try JSONDecoder().decode(DownloadResumption.self, from: stored)
        _ = try await origin.manager().download(request, to: .rest(of: read))
        #expect(try Data(contentsOf: url) == origin.body)
    }

    @Test(
        "a stored resumption that was tampered with is not read",
        arguments: [
            ("partName", "../x.part"), ("partName", "x.part"), ("partName", ".x"), ("partName", ".a/.part"),
            ("validator", "W/\"v1\""), ("validator", "\"v1\"\r\nX: y"), ("validator", ""), ("validator", "a b"),
        ])
    func tampered(_ key: String, _ value: String) async throws {
        let (_, resumption) = try await ResumableOrigin(cuts: [5_000]).begin()
        let stored = try JSONSerialization.jsonObject(with: JSONEncoder().encode(resumption)) as? [String: Any]
        var object = try #require(stored)
        object[key] = value
        let changed = try JSONSerialization.data(withJSONObject: object)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(DownloadResumption.self, from: changed) }
    }

    @Test("what is given up is removed, unless it is another file by now")
    func discarded() async throws {
        let origin = ResumableOrigin(cuts: [5_000, 5_000])
        let (_, first) = try await origin.begin()
        first.discard()
        first.discard()
        #expect(origin.folder.names == [])
        let (_, second) = try await origin.begin()
        try Data("other".utf8).write(to: second.part)
        second.discard()
        #expect(origin.folder.names == [second.part.lastPathComponent])
    }
}
