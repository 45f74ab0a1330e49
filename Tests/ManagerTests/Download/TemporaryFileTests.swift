#if os(Linux)
    import Foundation
    import PatchbayPlatform
    import PatchbayRegistry
    import PatchbayTesting
    import TestSupport
    import Testing

    @testable import PatchbayManager

    @Suite("What a failed download leaves in the folder for temporary files", .timeLimit(.minutes(5)))
    struct TemporaryFileTests {
        /// Calls back while it is decoded, then fails.
        struct Meddler: Decodable, Sendable {
            static let act = Guarded<@Sendable () -> Void>({})

            init(from decoder: any Decoder) throws {
                Self.act.withLock { $0 }()
                throw Broken()
            }
        }

        struct Broken: Error {}

        typealias Attempt = @Sendable (SessionManager) async throws -> Void

        /// A way in which a download to a temporary file fails.
        struct Way: Sendable {
            let name: String
            var reply = StubReply.json("[1]")
            var interceptors: [any RequestInterceptor] = []
            var code: SessionError.Code
            let attempt: Attempt

            init(
                _ name: String, _ reply: StubReply = .json("[1]"), code: SessionError.Code,
                interceptors: [any RequestInterceptor] = [], _ attempt: @escaping Attempt
            ) {
                (self.name, self.reply, self.code) = (name, reply, code)
                (self.interceptors, self.attempt) = (interceptors, attempt)
            }
        }

        private static let request = SessionRequest("file")

        private static func typed<Value: Sendable>(_ type: Value.Type, _ request: SessionRequest = request) -> Attempt {
            { _ = try await $0.savedValue(of: request, to: .temporary, as: type) }
        }

        private static func validated(_ validator: @escaping ResponseCheck) -> SessionRequest {
            var request = request
            request.hook = MadeHook(checks: [validator])
            return request
        }

        private static func retrying(
            _ times: Int, then end: RetryDecision = .doNotRetry, adapting: Bool = true
        ) -> MadeInterceptor {
            let tries = Guarded(0)
            return MadeInterceptor(
                adapt: { request in
                    let count = tries.withLock { tries in
                        tries += 1
                        return tries
                    }
                    guard adapting || count == 1 else { throw Broken() }
                    return request
                },
                retry: { _, error in error.retries < times ? .retry : end })
        }

        private static let ways: [Way] = [
            Way("no JSON", .json("{ bad"), code: .serialization, typed([Int].self)),
            Way("another type", .json(#"["a"]"#), code: .serialization, typed([Int].self)),
            Way("no bytes", .json(""), code: .emptyBody, typed([Int].self)),
            Way("a serializer that throws", .words("a!"), code: .serialization, typed([String].self)),
            Way("too large for its entry", .words("a b c d e f g"), code: .bodyTooLarge, typed([String].self)),
            Way("no entry for the type", StubReply(body: "x"), code: .noReader, typed(Int.self)),
            Way("an element that throws", code: .serialization, typed(Meddler.self)),
            Way("a status", .json("[]", status: 404), code: .status, typed([Int].self)),
            Way(
                "a broken body",
                StubReply(fields: ["Content-Type": "application/json"], body: "[", failure: .init(.truncatedBody, "")),
                code: .transport, typed([Int].self)),
            Way(
                "a validator", code: .validation,
                typed([Int].self, validated { _, _, _ in throw Broken() })),
            Way("a validator of a raw file", code: .validation) {
                _ = try await $0.download(validated { _, _, _ in throw Broken() })
            },
            Way("a cancelled decoding", code: .cancelled) { manager in
                Meddler.act.withLock { $0 = { manager.cancelAll() } }
                defer { Meddler.act.withLock { $0 = {} } }
                try await typed(Meddler.self)(manager)
            },
            Way("a held task", .json("{ bad"), code: .serialization) {
                _ = try await $0.heldDownload(request, as: [Int].self).begin().reply
            },
            Way(
                "three tries", .json("{ bad"), code: .serialization, interceptors: [retrying(2)], typed([Int].self)),
            Way(
                "an interceptor's own error", .json("{ bad"), code: .retryRefused,
                interceptors: [retrying(0, then: .doNotRetryWithError(Broken()))], typed([Int].self)),
            Way(
                "an interceptor that fails at the second try", .json("{ bad"), code: .adaptation,
                interceptors: [retrying(1, adapting: false)], typed([Int].self)),
            Way(
                "time that runs out while an interceptor thinks", .json("{ bad"), code: .totalTimeout,
                interceptors: [
                    MadeInterceptor(retry: { _, _ in
                        await OneShot().fired()
                        return .doNotRetry
                    })
                ]
            ) { manager in
                var request = request
                request.totalTimeout = .milliseconds(100)
                try await typed([Int].self, request)(manager)
            },
            Way("a chosen temporary file", .json("{ bad"), code: .serialization) {
                _ = try await $0.savedValue(of: request, to: .chosen { _ in .temporary }, as: [Int].self)
            },
            Way("a temporary file that would be resumed", .json("{ bad"), code: .serialization) {
                _ = try await $0.savedValue(of: request, to: DownloadDestination.temporary.resumable(), as: [Int].self)
            },
        ]

        @Test("each way to fail leaves nothing; what succeeds, or broke off to be resumed, has its file")
        func failures() async {
            await #expect(processExitsWith: .success) {
                let folder = URL(filePath: "/tmp/patchbay-temporary-\(UInt64.random(in: .min ... .max))")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                setenv("TMPDIR", folder.path, 1)
                func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
                for way in TemporaryFileTests.ways {
                    var configuration = SessionConfiguration()
                    configuration.interceptors = way.interceptors
                    let (manager, _) = try stubManager(configuration: configuration) { _ in way.reply }
                    let error = await #expect(throws: SessionError.self, "\(way.name)") {
                        try await way.attempt(manager)
                    }
                    #expect(error?.code == way.code, "\(way.name)")
                    let left = try names()
                    #expect(left == [], "\(way.name)")
                    for name in left { try FileManager.default.removeItem(at: folder.appending(path: name)) }
                }
                let (manager, _) = try stubManager { _ in .json("[1]") }
                let file = try await manager.download(TemporaryFileTests.request).value
                #expect(try names() == [file.lastPathComponent])
                let typed = try await manager.savedValue(of: TemporaryFileTests.request, to: .temporary, as: [Int].self)
                    .value
                #expect(typed.value == [1])
                #expect(try Set(names()) == [file.lastPathComponent, typed.file.lastPathComponent])
            }
        }

        @Test("a file of the caller's own stays where its serializer fails")
        func ownFile() async throws {
            let folder = TemporaryFolder()
            let (manager, _) = try stubManager { _ in .json("{ bad") }
            let url = folder.url.appending(path: "x")
            await #expect(throws: SessionError.self) {
                try await manager.savedValue(of: Self.request, to: .file(url), as: [Int].self)
            }
            #expect(folder.names == ["x"])
        }
    }
#endif
