import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport

@testable import PatchbayManager

extension SessionErrorRow {
    /// What is wrong before anything is sent.
    static let requests: [SessionErrorRow] = refused + unmade + unwritten + intercepted

    private static func refusal(
        _ name: String, alamofire: String? = nil, _ reason: String, cause: String? = nil,
        _ provoke: @escaping @Sendable () async throws -> Void
    ) -> SessionErrorRow {
        SessionErrorRow(
            name, alamofire: alamofire, .invalidRequest, "the request was not sent: \(reason)", cause: cause,
            provoke)
    }

    private static func field(_ name: String, _ value: String, _ reason: String) -> SessionErrorRow {
        refusal("a field \(name.debugDescription)", reason) {
            try await send { $0.headers = HeaderFields([(name, value)]) }
        }
    }

    private static let refused = [
        refusal("a method that is no token", "the method is not a token") { try await send(.json("1"), nil, "GE T") },
        refusal(
            "content in a GET", alamofire: "urlRequestValidationFailed", "a GET request cannot have content"
        ) { try await send { $0.content = .value("x") } },
        refusal("content in a HEAD", "a HEAD request cannot have content") {
            try await send(.json("1"), nil, "head") { $0.content = .value("x") }
        },
        field("X A", "a", "a header field name is not a token"),
        field("X-A", "a\rb", "the value of header field X-A has a carriage return in it"),
        field("X-A", "a\nb", "the value of header field X-A has a line feed in it"),
        field("X-A", "a\0b", "the value of header field X-A has a NUL in it"),
        field("X-A", "a\u{1B}b", "the value of header field X-A has a control character in it"),
        field("Content-Length", "3", "header field Content-Length is written by the transport and cannot be set"),
        refusal(
            "no base", alamofire: "invalidURL",
            #"the URL "a" has no scheme, and there is no base URL: write a scheme in either, as in "http://127.0.0.1:8090" (URL(string: "127.0.0.1:8090") is nil)"#
        ) { try await send(base: nil) },
        refusal(
            "a host and a port", alamofire: "invalidURL",
            #"the URL "127.0.0.1:8090/a" has no scheme: write "http://127.0.0.1:8090/a""#
        ) { try await send(.json("1"), nil, "GET", "127.0.0.1:8090/a") },
        refusal(
            "a host and a port for a base", alamofire: "invalidURL",
            #"the base URL "localhost:8090" has no scheme: write "http://localhost:8090""#
        ) { try await send(base: "localhost:8090") },
        refusal(
            "another scheme", alamofire: "invalidURL",
            #"the scheme of the URL "ftp://origin.test/" is ftp, not http or https"#
        ) { try await send(.json("1"), nil, "GET", "ftp://origin.test/") },
        refusal("no host", alamofire: "invalidURL", #"the URL "http:///a" has no host"#) {
            try await send(.json("1"), nil, "GET", "http:///a")
        },
        refusal(
            "a host that IDNA refuses", alamofire: "invalidURL",
            #"the host of the URL "http://%EF%BF%BD/" has U+FFFD, which no host has"#
        ) { try await send(.json("1"), nil, "GET", "http://%EF%BF%BD/") },
        refusal("no URL", alamofire: "invalidURL", #"the URL "http://a b:x/" cannot be parsed"#) {
            try await send(.json("1"), nil, "GET", "http://a b:x/")
        },
        refusal("a raw query", "the query has a character that is not percent-encoded") {
            try await send { $0.hook = MadeHook(encodedQuery: "a b") }
        },
        SessionErrorRow(
            "a user name with a colon", .invalidRequest,
            "a user name with a colon cannot be sent in a basic authorization"
        ) { _ = try HeaderFields.basic(user: "a:b", password: "c") },
    ]

    private static let unmade = [
        refusal(
            "content that is not made", alamofire: "createUploadableFailed", "its content could not be made",
            cause: "Shout"
        ) {
            try await send(.json("1"), nil, "POST") {
                $0.content = RequestContent("a/b", making: { throw TestRegistry.Shout() })
            }
        },
        refusal(
            "a file to upload that is not there", alamofire: "createUploadableFailed", "there is no file patchbay.txt"
        ) {
            let (manager, _) = try stubManager { _ in .json("1") }
            _ = try await manager.send(
                SessionRequest("a", method: "POST", content: .file(URL(filePath: "/nonexistent/patchbay.txt"))))
        },
        SessionErrorRow(
            "a call after the end of its manager", alamofire: "sessionInvalidated", .invalidated,
            "the request was not sent: the session manager was invalidated before the call was made"
        ) {
            let (manager, _) = try stubManager { _ in .json("1") }
            manager.invalidate(cancellingTasks: false)
            _ = try await manager.send("a")
        },
    ]

    private static func post(_ content: RequestContent, headers: HeaderFields = [:]) async throws {
        try await send(.json("1"), TestRegistry.make(TestRegistry.formats), "POST") {
            ($0.content, $0.headers) = (content, headers)
        }
    }

    private static func unwritten(
        _ name: String, _ code: SessionError.Code, _ reason: String, cause: String? = nil, _ content: RequestContent,
        headers: HeaderFields = [:]
    ) -> SessionErrorRow {
        SessionErrorRow(name, code, "POST origin.test/a: the request was not sent: \(reason)", cause: cause) {
            try await post(content, headers: headers)
        }
    }

    private static let unwritten = [
        unwritten(
            "a type that no entry is for", .noWriter,
            "no entry writes [Int] as image/png; none of the 6 entries covers this type",
            .value([1], in: "image/png")),
        unwritten(
            "a type that is only read", .noWriter,
            "no entry writes [Int] as text/words; asked: words (it only reads responses), "
                + "and 5 that do not cover text/words",
            .value([1], in: "text/words")),
        unwritten(
            "elements of a type that is written whole", .noWriter,
            "no entry writes elements of the type Int as application/json; asked: "
                + "json (it writes whole values, not elements one by one), and 5 that do not cover application/json",
            .elements(AsyncStream<Int> { $0.finish() }, in: .json)),
        unwritten(
            "a Content-Type that is not a media type", .noWriter,
            "its Content-Type is not a media type, so no entry can write the body", .value([1]),
            headers: ["Content-Type": "json"]),
        unwritten(
            "a value that its format cannot hold", .writing,
            "the entry json could not write application/json: a value of the type Double cannot be written at /0",
            cause: "EncodingError", .value([Double.infinity])),
        unwritten(
            "a text that its charset cannot hold", .writing,
            #"the text has a character that the charset "us-ascii" lacks"#, cause: "FormatFailure",
            .value("\u{E9}", in: "text/plain;charset=us-ascii")),
        unwritten(
            "a charset that is not known", .writing,
            #"a text cannot be written in the charset "x-own"; it can be sent as Data"#, cause: "FormatFailure",
            .value("a", in: "text/plain;charset=x-own")),
    ]

    private static let intercepted = [
        SessionErrorRow(
            "an interceptor that throws", alamofire: "requestAdaptationFailed", .adaptation,
            "the request was not sent: an interceptor threw Shout", cause: "Shout"
        ) {
            try await send {
                $0.interceptors = [MadeInterceptor(adapt: { _ in throw TestRegistry.Shout() })]
            }
        },
        SessionErrorRow(
            "no credential", alamofire: "requestAdaptationFailed", .missingCredential,
            "the request was not sent: there is no credential"
        ) {
            try await send { $0.interceptors = [AuthenticationInterceptor(BearerScheme { $0 })] }
        },
        SessionErrorRow(
            "only an answer of the cache, which has none", .notCached,
            "GET origin.test/a: the request is only-if-cached, and the cache has no answer that it may use",
            cause: "TransportFailure"
        ) {
            let cache = ResponseCache.memory(bytes: 1 << 20)
            let (manager, _) = try stubManager(configuration: SessionConfiguration(cache: cache)) { _ in .json("1") }
            _ = try await manager.get("a", headers: ["Cache-Control": "only-if-cached"], as: Int.self)
        },
        SessionErrorRow(
            "a credential for hosts that nothing names", .adaptation,
            "the request was not sent: an AuthenticationInterceptor does not know which hosts may see its credential: "
                + "give it hosts:, or the manager a base URL or configuration.credentialHosts"
        ) {
            try await send(base: nil, "GET", "http://origin.test/a") {
                $0.interceptors = [
                    AuthenticationInterceptor(
                        BearerScheme { $0 }, credential: BearerScheme.Credential(token: "t"))
                ]
            }
        },
        SessionErrorRow(
            "an interceptor with a reason", alamofire: "requestRetryFailed", .retryRefused,
            "GET origin.test/a: the status is 500, which is not acceptable (2XX); it was not tried again: "
                + "an interceptor gave the reason Shout",
            cause: "Shout"
        ) {
            try await send(.json("1", status: 500)) {
                $0.interceptors = [
                    MadeInterceptor(retry: { _, _ in .doNotRetryWithError(TestRegistry.Shout()) })
                ]
            }
        },
        SessionErrorRow(
            "too many renewals", alamofire: "requestRetryFailed", .excessiveRefresh,
            "GET origin.test/a: the status is 401, which is not acceptable (2XX); it was not tried again: "
                + "the credential was renewed too often"
        ) {
            try await send(.json("1", status: 401)) {
                let names = Guarded(0)
                $0.interceptors = [
                    AuthenticationInterceptor(
                        BearerScheme { _ in
                            let name = names.withLock { names in
                                names += 1
                                return names
                            }
                            return BearerScheme.Credential(token: "t\(name)")
                        }, credential: BearerScheme.Credential(token: "t"))
                ]
            }
        },
    ]
}
