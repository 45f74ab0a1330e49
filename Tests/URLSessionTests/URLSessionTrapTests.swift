#if canImport(FoundationNetworking)
    import Foundation
    import PatchbayManager
    import PatchbayRegistry
    import PatchbayURLSession
    import TestSupport
    import Testing

    /// Responses that end the process inside Foundation on Linux, as `Documentation/Apple.md` lists them.
    /// Each runs in a child process and is expected to answer there; a case that does so after all fails here, so
    /// that the list can be shortened.
    @Suite(.timeLimit(.minutes(5)))
    struct URLSessionTrapTests {
        static let responses = [
            "a length of 2^63 - 1": "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\nX-A: b\r\n\r\nabc",
            "a trailer field":
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n",
            "a head cut off": "HTTP/1.1 200 OK\r\nFoo: 1\r\n",
            "a Location that cannot be put together":
                "HTTP/1.1 307 Go\r\nLocation: //[::1]:1/x\r\nContent-Length: 0\r\n\r\n",
        ]

        @Test(arguments: responses.keys.sorted()) func endsTheProcess(_ name: String) async {
            await withKnownIssue("Foundation traps on the response: \(name)") {
                await #expect(processExitsWith: .success) { [name] in
                    try await Self.exchange(try #require(Self.responses[name]))
                }
            }
        }

        /// The same in a child where nothing is wrong, so that the cases above fail for the reason they name.
        @Test func anOrdinaryResponseDoesNot() async {
            await #expect(processExitsWith: .success) {
                try await Self.exchange("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-A: b\r\n\r\nabc")
            }
        }

        private static func exchange(_ response: String) async throws {
            let server = try RawServer(always: .raw(response))
            let request = TransportRequest(head: RequestHead(url: server.url()))
            do throws(TransportFailure) {
                _ = try await URLSessionTransport().perform(request, for: Recorder())
            } catch {
                // A failure with a type is an answer.
            }
        }
    }
#endif
