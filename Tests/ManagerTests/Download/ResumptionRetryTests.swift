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
