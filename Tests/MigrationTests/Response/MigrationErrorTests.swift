import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import TestSupport
import Testing

/// The errors that only calls of this module end with, provoked as a user would, with their exact sentences.
@Suite(.timeLimit(.minutes(5))) struct MigrationErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// The case of Alamofire's error that this answers; nil for none.
        let alamofire: String?
        let code: SessionError.Code
        let sentence: String
        /// The type of the error underneath.
        let cause: String
        let provoke: @Sendable () async throws -> Void

        var testDescription: String { alamofire.map { "1.13: \($0): \(name)" } ?? name }
    }

    private static func send(
        _ method: String = "GET", _ reply: StubReply = .json("1"), change: (inout SessionRequest) -> Void
    ) async throws {
        let (manager, _) = stubManager { _ in reply }
        var request = SessionRequest("a", method: method)
        change(&request)
        _ = try await manager.send(request)
    }

    private static func refusal(
        _ name: String, alamofire: String? = nil, _ reason: String, cause: String,
        _ provoke: @escaping @Sendable () async throws -> Void
    ) -> Row {
        Row(
            name: name, alamofire: alamofire, code: .invalidRequest, sentence: "the request was not sent: \(reason)",
            cause: cause, provoke: provoke)
    }

    private static func invalid(
        _ name: String, alamofire: String, _ reason: String, cause: String, type: String? = "a/b",
        _ validator: ResponseValidator
    ) -> Row {
        Row(
            name: name, alamofire: alamofire, code: .validation,
            sentence: "GET origin.test/a: the response is not valid: \(reason)", cause: cause
        ) {
            let fields = HeaderFields(type.map { [("Content-Type", $0)] } ?? [])
            try await send("GET", StubReply(fields: fields, body: "x")) { $0.responseValidators = [validator] }
        }
    }

    static let rows: [Row] = requests + responses

    private static let requests = [
        refusal(
            "a modifier that throws", alamofire: "createURLRequestFailed", "its modifier failed", cause: "Shout"
        ) { try await send { $0.modifier = { _ in throw Shout() } } },
        refusal(
            "parameters that are no JSON", alamofire: "parameterEncodingFailed",
            "its parameters could not be serialized", cause: "EncodingError"
        ) {
            try await send("POST") {
                $0.parameters = ["a": .number(.infinity)]
                $0.serializer = .json
            }
        },
        refusal(
            "a query that is not written", alamofire: "parameterEncoderFailed",
            "its parameters could not be serialized", cause: "Shout"
        ) {
            try await send {
                var form = FormParameterSerializer.form
                form.makePairs = { _, _ in throw Shout() }
                $0.parameters = ["a": 1]
                $0.serializer = form
            }
        },
        refusal(
            "parameters without names", alamofire: "parameterEncoderFailed",
            "a query or a form needs an object with named members", cause: "ParametersFailure"
        ) { try await send { $0.parameters = [1] } },
        refusal(
            "parameters too deep", "more than \(Parameters.maximumDepth) values lie inside each other",
            cause: "ParametersFailure"
        ) {
            var parameters: Parameters = 1
            for _ in 0...Parameters.maximumDepth { parameters = ["a": parameters] }
            try await send { [parameters] in $0.parameters = parameters }
        },
        refusal("a property list of null", "a property list has no null", cause: "ParametersFailure") {
            try await send("POST") {
                $0.parameters = ["a": nil]
                $0.serializer = .propertyList
            }
        },
        refusal("parameters and content", "the request has content already", cause: "ParametersFailure") {
            try await send("POST") {
                $0.parameters = ["a": 1]
                $0.content = .value("x")
            }
        },
        refusal(
            "a multipart form of parameters without names", alamofire: "multipartEncodingFailed",
            "its parameters could not be made parts of a form", cause: "ParametersFailure"
        ) {
            let (manager, _) = stubManager { _ in .json("1") }
            _ = try await manager.post("a", multipart: MultipartFormData(), parameters: [1])
        },
    ]

    private static let responses = [
        invalid(
            "a status, for a validator", alamofire: "responseValidationFailed unacceptableStatusCode",
            "the status 200 is not acceptable", cause: "Failure", .status(.none)),
        invalid(
            "no type", alamofire: "responseValidationFailed missingContentType",
            "there is no Content-Type, and acceptable are a/b, c/d", cause: "Failure", type: nil,
            .contentType(["c/d", "a/b"])),
        invalid(
            "another type", alamofire: "responseValidationFailed unacceptableContentType",
            "the Content-Type is a/b, and acceptable are c/d", cause: "Failure", .contentType(["c/d"])),
        invalid(
            "a validator of one's own", alamofire: "responseValidationFailed customValidationFailed",
            "a validator threw Shout", cause: "Shout", ResponseValidator { _, _ in throw Shout() }),
    ]

    @Test("1.13: each error of Alamofire that comes of this module has a code, a sentence and a cause", arguments: rows)
    func row(_ row: Row) async throws {
        let error = try #require(await #expect(throws: SessionError.self) { try await row.provoke() })
        #expect(error.code == row.code)
        #expect(error.description == row.sentence)
        #expect(error.cause.map { "\(type(of: $0))" } == row.cause)
    }

    @Test("1.13: no error of Alamofire's that comes of this module is without a row")
    func taxonomy() {
        #expect(
            Set(Self.rows.compactMap(\.alamofire)) == [
                "createURLRequestFailed", "parameterEncodingFailed", "parameterEncoderFailed",
                "multipartEncodingFailed", "responseValidationFailed unacceptableStatusCode",
                "responseValidationFailed missingContentType", "responseValidationFailed unacceptableContentType",
                "responseValidationFailed customValidationFailed",
            ])
    }

    static let values: [(type: String, name: String, error: any Error & Sendable, sentence: String)] = [
        (
            "ResponseValidator.Failure", "unacceptableStatus", ResponseValidator.Failure.unacceptableStatus(500),
            "the status 500 is not acceptable"
        ),
        (
            "ResponseValidator.Failure", "missingContentType",
            ResponseValidator.Failure.missingContentType(acceptable: ["a/b", "c/d"]),
            "there is no Content-Type, and acceptable are a/b, c/d"
        ),
        (
            "ResponseValidator.Failure", "unacceptableContentType",
            ResponseValidator.Failure.unacceptableContentType(acceptable: ["a/b"], received: "c/d"),
            "the Content-Type is c/d, and acceptable are a/b"
        ),
    ]

    @Test("the sentence of each case", arguments: values.indices)
    func value(_ index: Int) {
        #expect("\(Self.values[index].error)" == Self.values[index].sentence)
    }

    @Test("no case is without a row")
    func cases() throws {
        #expect(try DeclaredErrors.cases(of: "ResponseValidator.Failure") == Set(Self.values.map(\.name)))
    }
}
