import Foundation
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// What becomes of a part when the call that has it goes on, or ends, without another response.
@Suite(.timeLimit(.minutes(5))) struct ResumptionRetryTests {
    private struct Reason: Error {}

    private let request = SessionRequest("file")

    private func configuration(_ interceptor: MadeInterceptor) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.interceptors = [interceptor]
        return configuration
    }

    @Test("1.10.4: a part that was kept stays kept when the next try fails before it is sent")
    func adaptation() async throws {
        let origin = ResumableOrigin(cuts: [3_000])
        let adapted = Guarded(0)
        let once = MadeInterceptor(
            adapt: { request in
                let count = adapted.withLock { count in
                    count += 1
                    return count
                }
                guard count == 1 else { throw Reason() }
                return request
            },
            retry: { _, error in error.retries == 0 ? .retry : .doNotRetry })
        let (error, resumption) = try await origin.begin(
            request, manager: origin.manager(configuration: configuration(once)))
        #expect(error.code == .adaptation)
        #expect(resumption.bytes == 3_000)
        #expect(origin.folder.names == [resumption.part.lastPathComponent])
        _ = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.folder.names == ["x"])
    }

    @Test(
        "1.10.4: a retry whose interceptor has changed the URL fetches the whole file", arguments: [true, false])
    func changedURL(_ isResuming: Bool) async throws {
        let origin = ResumableOrigin(cuts: isResuming ? [2_000, 3_000] : [3_000])
        let nonce = Guarded(0)
        let signing = MadeInterceptor(
            adapt: { request in
                let count = nonce.withLock { count in
                    count += 1
                    return count
                }
                var changed = request
                // The first request of the second call has the URL of the first call.
                changed.query = ["nonce": "\(isResuming && count == 2 ? 1 : count)"]
                return changed
            }, retry: { _, error in error.retries == 0 && error.resumption?.bytes != 2_000 ? .retry : .doNotRetry })
        let manager = try origin.manager(configuration: configuration(signing))
        if isResuming {
            let (_, resumption) = try await origin.begin(manager: manager)
            _ = try await manager.download(request, to: .rest(of: resumption))
            #expect(origin.requests.map { $0.fields["Range"] } == [nil, "bytes=2000-", nil])
        } else {
            _ = try await manager.download(request, to: .file(origin.url).resumable())
            #expect(origin.requests.map { $0.fields["Range"] } == [nil, nil])
        }
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.folder.names == ["x"])
    }

    @Test(
        "1.10.4: bytes of another URL behind a redirect do not continue a file; another query is no other URL",
        arguments: [("http://mirror.test/rest", false), ("http://origin.test/file?signature=2", true)])
    func changedSource(_ url: String, _ isSame: Bool) async throws {
        let origin = ResumableOrigin(cuts: [3_000])
        let (_, resumption) = try await origin.begin()
        let redirect = Guarded<String?>(url)
        origin.change { reply in
            if let url = redirect.withLock({ $0.take() }) { reply = .redirect(302, to: url) }
        }
        _ = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        let ranges = origin.requests.map { $0.fields["Range"] }
        #expect(ranges == [nil, "bytes=3000-", "bytes=3000-"] + (isSame ? [] : [nil]), "\(ranges)")
    }

    @Test("a resumed file that is finished and cannot be serialized stays, and there is nothing to resume")
    func finished() async throws {
        let origin = ResumableOrigin(RangedFile("[1,2,3".utf8, version: Self.json), cuts: [3])
        let (_, resumption) = try await origin.begin()
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().savedValue(of: request, to: .rest(of: resumption), as: [Int].self)
        }
        #expect(error?.code == .serialization)
        #expect(error?.resumption == nil)
        #expect(origin.folder.names == ["x"])
    }

    @Test("a resumed file that is finished, cannot be serialized and is tried again starts again")
    func finishedAndRetried() async throws {
        let origin = ResumableOrigin(RangedFile("[1,2,3".utf8, version: Self.json), cuts: [3])
        let (_, resumption) = try await origin.begin()
        let retrying = MadeInterceptor(retry: { _, error in
            origin.replace(RangedFile("[1,2,4]".utf8, version: Self.json))
            return error.code == .serialization && error.retries == 0 ? .retry : .doNotRetry
        })
        let reply = try await origin.manager(configuration: configuration(retrying)).savedValue(
            of: request, to: .rest(of: resumption), as: [Int].self)
        #expect(reply.value.value == [1, 2, 4])
        #expect(origin.requests.map { $0.fields["Range"] } == [nil, "bytes=3-", nil])
        #expect(origin.folder.names == ["x"])
    }

    private static let json: HeaderFields = ["ETag": "\"v1\"", "Content-Type": "application/json"]
}
