import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport

@testable import PatchbayManager

extension SessionErrorRow {
    /// What is wrong with a response that arrived.
    static let responses: [SessionErrorRow] = judged + limited + unmadeValues + files

    private struct Opaque: Sendable {}

    private static let judged = [
        SessionErrorRow(
            "a status", alamofire: "responseValidationFailed unacceptableStatusCode", .status,
            "GET origin.test/a: the status is 404, which is not acceptable (2XX)"
        ) { try await send(.json("1", status: 404)) },
        SessionErrorRow(
            "a 304 that the request asked for", .notModified,
            "GET origin.test/a: the resource has not changed (status 304)"
        ) { try await send(.json("", status: 304)) { $0.headers["If-None-Match"] = "\"1\"" } },
        SessionErrorRow(
            "a validator of one's own", alamofire: "responseValidationFailed customValidationFailed", .validation,
            "GET origin.test/a: the response is not valid: a validator threw Shout", cause: "Shout"
        ) {
            try await send(StubReply(fields: ["Content-Type": "a/b"], body: "x")) {
                $0.validators = [{ _, _ in throw TestRegistry.Shout() }]
            }
        },
    ]

    private static let limited = [
        SessionErrorRow(
            "more than the request allows", .bodyTooLarge,
            "GET origin.test/a: the body is larger than 2 bytes, the limit of the request (maximumBodyBytes)"
        ) { try await send(.json("[1]")) { $0.maximumBodyBytes = 2 } },
        SessionErrorRow(
            "more than the entry allows", .bodyTooLarge,
            "GET origin.test/a: the body is larger than 8 bytes, the limit of entry words (maxBodyBytes)"
        ) { try await send(.words("123456789")) },
        SessionErrorRow(
            "more than the policy allows", .bodyTooLarge,
            "GET origin.test/a: the body is larger than 2 bytes, the limit of the policy (maxBodyBytes)"
        ) {
            let registry = try TestRegistry.make(policy: #"{ "limits": { "maxBodyBytes": 2 } }"#)
            try await send(.json("[1]"), registry)
        },
        SessionErrorRow(
            "more than an entry allows, found late", .bodyTooLarge,
            "GET origin.test/a: the entry words cannot take text/words with status 200: "
                + "the body has more than the 8 bytes that are allowed; asked: words (failed), and 1 that does not cover text/words",
            cause: "FormatFailure"
        ) {
            let (manager, _) = try stubManager { _ in .words("123456789") }
            var request = SessionRequest("a")
            request.excluding = []
            let raw = try await manager.send(request, as: ResponseBody.self)
            _ = try raw.decode(as: [String].self)
        },
    ]

    private static let unmadeValues = [
        SessionErrorRow(
            "no bytes where there must be some", alamofire: "responseSerializationFailed inputDataNilOrZeroLength",
            .emptyBody, "GET origin.test/a: the body is empty for application/json with status 200; asked: json"
        ) {
            let registry = try TestRegistry.make(policy: #"{ "empty": { "otherwise": "error" } }"#)
            try await send(.json(""), registry)
        },
        SessionErrorRow(
            "no empty value", alamofire: "responseSerializationFailed invalidEmptyResponse", .emptyBody,
            "GET origin.test/a: the body is empty, and so makes no Int, for application/json with status 204; "
                + "asked: json"
        ) { try await send(.json("", status: 204), as: Int.self) },
        SessionErrorRow(
            "text that is none", alamofire: "responseSerializationFailed stringSerializationFailed", .serialization,
            "GET origin.test/a: the body cannot be read as text for application/json with status 200: "
                + "the body is not valid UTF-8 at byte 0; asked: json (declined), and 1 that does not cover application/json",
            cause: "FormatFailure"
        ) {
            try await send(
                StubReply(fields: ["Content-Type": "application/json"], body: Data([0xFF])), as: String.self)
        },
        SessionErrorRow(
            "a type that nobody makes", .noReader,
            "GET origin.test/a: no entry makes Opaque from application/json with status 200: "
                + "json declined, it makes JSON, not Opaque, which is not Decodable; asked: json (declined), "
                + "and 1 that does not cover application/json"
        ) { try await send(.json("1"), as: Opaque.self) },
        SessionErrorRow(
            "a request for an entry that is switched off", .noReader,
            "GET origin.test/a: the request names an entry that is not available: off declined, it is switched off; asked: off (declined)"
        ) {
            let plugins = #"[{ "id": "off", "factory": "words", "enabled": false }]"#
            try await send(.json("1"), try TestRegistry.make(plugins)) { $0.using = .entry("off") }
        },
        SessionErrorRow(
            "a request for an entry that is not there", .unknownEntry,
            #"GET origin.test/a: the request names the entry "gone", which the registry does not have; asked: gone (declined)"#
        ) { try await send { $0.using = .entry("gone") } },
        SessionErrorRow(
            "no type where there must be one", .missingContentType,
            "GET origin.test/a: the response has no Content-Type, and no entry takes one without; "
                + "none of the 2 entries covers such a response"
        ) {
            let registry = try TestRegistry.make(policy: #"{ "missingContentType": "error" }"#)
            try await send(StubReply(body: "x"), registry)
        },
        SessionErrorRow(
            "a type that is none", .invalidContentType,
            "GET origin.test/a: the response has an invalid Content-Type, and no entry takes one without; "
                + "none of the 2 entries covers such a response"
        ) {
            let registry = try TestRegistry.make(policy: #"{ "invalidContentType": "error" }"#)
            try await send(StubReply(fields: ["Content-Type": "x"], body: "x"), registry)
        },
        SessionErrorRow(
            "JSON that is none", alamofire: "responseSerializationFailed jsonSerializationFailed", .serialization,
            "GET origin.test/a: the entry json could not serialize application/json with status 200: "
                + "line 1, column 2: expected a value before the end of the text; asked: json (failed)",
            cause: "FormatFailure"
        ) { try await send(.json("[")) },
        SessionErrorRow(
            "a value of another type", alamofire: "responseSerializationFailed decodingFailed", .serialization,
            "GET origin.test/a: the entry json could not serialize application/json with status 200: "
                + "expected Int at /0; asked: json (failed)", cause: "DecodingError"
        ) { try await send(.json(#"["a"]"#), as: [Int].self) },
        SessionErrorRow(
            "a serializer of one's own", alamofire: "responseSerializationFailed customSerializationFailed",
            .serialization,
            "GET origin.test/a: the serializer of the request could not serialize application/json with status 200: "
                + "Shout; asked: (request) (failed)", cause: "Shout"
        ) {
            try await send {
                $0.using = .serializer(MadeSerializer<Int> { _, _ in throw TestRegistry.Shout() })
            }
        },
        SessionErrorRow(
            "no response to decode", .emptyBody,
            "there is no response to decode: the connection was refused", cause: "SessionError"
        ) {
            let (manager, _) = try stubManager { _ in
                throw TransportFailure(.refusedConnection, "the connection was refused")
            }
            do throws(SessionError) {
                _ = try await manager.send("a")
            } catch {
                _ = try error.decode(as: Int.self)
            }
        },
    ]

    private static let files = [
        SessionErrorRow(
            "a name that is taken", alamofire: "downloadedFileMoveFailed", .file,
            "GET origin.test/a: x cannot be written: File exists; replacingFile() replaces it", cause: "POSIXError"
        ) {
            let folder = TemporaryFolder()
            try folder.make(.file, "x")
            let (manager, _) = try stubManager { _ in .json("1") }
            _ = try await manager.download("a", to: .file(folder.url.appending(path: "x"))).value
        },
        SessionErrorRow(
            "a file that cannot be read again",
            alamofire: "responseSerializationFailed inputFileReadFailed", .file,
            "GET origin.test/a: x cannot be read: it is shorter than what was written to it"
        ) {
            let folder = TemporaryFolder()
            var configuration = SessionConfiguration()
            configuration.fileCalls.read = { file, _, _ in ftruncate(file, 0) == 0 ? 0 : -1 }
            let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
            _ = try await manager.savedValue(
                of: SessionRequest("a"), to: .file(folder.url.appending(path: "x")), as: Int.self)
        },
        SessionErrorRow(
            "a response that is neither the rest of the file nor the file", .resumption,
            "GET origin.test/file: the download cannot be resumed: the status is 203, neither 206 nor 200"
        ) {
            let origin = ResumableOrigin(cuts: [5_000])
            let (_, resumption) = try await origin.begin()
            origin.change { $0.status = 203 }
            _ = try await origin.manager().download(SessionRequest("file"), to: .rest(of: resumption))
        },
        SessionErrorRow(
            "a response that goes into no file", alamofire: "responseSerializationFailed inputFileNil", .noReader,
            "GET origin.test/a: no entry serializes a/b with status 200; none of the 2 entries covers this type"
        ) {
            let folder = TemporaryFolder()
            let registry = try TestRegistry.make(policy: #"{ "noMatch": "error" }"#)
            let (manager, _) = try stubManager(registry) { _ in StubReply(fields: ["Content-Type": "a/b"], body: "x") }
            _ = try await manager.download("a", to: .file(folder.url.appending(path: "x"))).value
        },
        SessionErrorRow(
            "a stream that is read twice", .alreadyRead,
            "GET origin.test/a: the elements were asked for a second time: a stream can be read once"
        ) {
            let (manager, _) = try stubManager { _ in .json("[1, 2]") }
            let stream = try await manager.stream("a", of: Data.self)
            for try await _ in stream { break }
            for try await _ in stream {}
        },
    ]
}
