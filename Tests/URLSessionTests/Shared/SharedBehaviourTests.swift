#if os(Linux)
    import Patchbay
    import Testing

    /// The same behaviour on libcurl and on URLSession, but for what is declared.
    @Suite(.timeLimit(.minutes(5)))
    struct SharedBehaviourTests {
        @Test("libcurl carries it", arguments: SharedBehaviour.all)
        func libcurl(_ behaviour: SharedBehaviour) async throws {
            try await behaviour.check(.libcurl)
        }

        @Test("URLSession carries it, or is declared not to", arguments: SharedBehaviour.all)
        func urlSession(_ behaviour: SharedBehaviour) async throws {
            guard let exception = behaviour.exception else { return try await behaviour.check(.urlSession) }
            await withKnownIssue("URLSession on Linux: \(exception)") { try await behaviour.check(.urlSession) }
        }

        @Test("what URLSession on Linux cannot do is listed")
        func list() {
            let rows = SharedBehaviour.all.filter { $0.exception != nil }.map { "  \($0.name): \($0.exception ?? "")" }
            let traps = URLSessionTrapTests.responses.keys.sorted().map { "  ends the process: \($0)" }
            print("On both transports: \(SharedBehaviour.all.count - rows.count) rows. Not on URLSession on Linux:")
            print((rows + traps).joined(separator: "\n"))
            #expect(rows.count == SharedBehaviour.exceptions.count)
        }

        @Test(
            "the rows against httpbin ran",
            .enabled(
                if: SharedBehaviour.httpbinURL != nil,
                "PATCHBAY_HTTPBIN is not set: run scripts/test, which starts httpbin"))
        func httpbin() {
            #expect(!SharedBehaviour.httpbin.isEmpty)
        }
    }
#endif
