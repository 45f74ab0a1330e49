import Foundation
import PatchbayMigration
import TestSupport
import Testing

@testable import PatchbayJSON
@testable import PatchbayManager
@testable import PatchbayPlugins
@testable import PatchbayRegistry

/// One of every public error: what Foundation makes of it is its own sentence.
@Suite struct LocalizedErrorTests {
    private struct Named: Decodable {
        let name: String?
    }

    private static func errors() throws -> [String: any Error] {
        func error(_ body: () throws -> Void) throws -> any Error {
            try #require(throws: (any Error).self) { try body() }
        }
        let call = SessionError(.cancelled, "the call was cancelled")
        return [
            "SessionError": call,
            "RetryFailure": RetryFailure(error: AuthenticationFailure.excessiveRefresh, original: call),
            "ContentFailure": ContentFailure(.missingFile, "the file a.txt is not there"),
            "FormatFailure": FormatFailure("csv", .malformed, "it is no row", line: 3),
            "FileFailure": FileFailure(name: "a.txt", .other("it is a folder")),
            "AuthenticationFailure": AuthenticationFailure.missingCredential,
            "ResponseValidator.Failure": ResponseValidator.Failure.unacceptableStatus(404),
            "ParametersFailure": ParametersFailure("a list has no name"),
            "TransportFailure": TransportFailure(.lostConnection, "the connection was lost"),
            "LookupFailure": try error {
                let manifest = #"{ "manifestVersion": 1, "policy": { "noMatch": "error" } }"#
                _ = try SerializerRegistry(
                    sources: [ManifestSource(name: "a.json", manifest)], factories: SerializerFactories()
                ).explain(contentType: "a/b").serialize(ResponseBody(Data("x".utf8)))
            },
            "BodyLimitFailure": BodyLimitFailure(limit: 5),
            "ElementFailure": ElementFailure(.line, 3, reason: "it is cut off"),
            "ElementLimitFailure": ElementLimitFailure(limit: 5),
            "TextDecodingFailure": TextDecodingFailure(.unknownCharset, charset: "utf-7"),
            "ManifestFailure": ManifestFailure(.invalidJSON, file: "a.json", "it is empty"),
            "PatternFailure": PatternFailure("it is no pattern", suggestion: "a/b"),
            "JSON.ParseFailure": try error { _ = try JSON(parsing: "[") },
            "JSON.UnknownKeysFailure": try error {
                _ = try JSON(parsing: #"{"a": 1}"#).decodeRefusingUnknownKeys(Named.self)
            },
            "XMLFailure": XMLFailure(.init(rawValue: "a"), "it is empty", line: 1, column: 2),
            "PropertyListFailure": PropertyListFailure(.depth, "it is nested"),
            "CSVFailure": CSVFailure(.openQuote, line: 1, "the body ends inside quotes"),
            "MultipartFailure": MultipartFailure(.noPart, "there is no part"),
            "FormFailure": FormFailure(maximumFields: 3), "OptionFailure": OptionFailure("scale", "is 0"),
            "ProblemFailure": ProblemFailure(), "UntypedResponseFailure": UntypedResponseFailure(),
            "ImageFailure": ImageFailure.noDimensions,
        ]
    }

    @Test("localizedDescription is the sentence of the error")
    func sentences() throws {
        let errors = try Self.errors()
        for (type, error) in errors {
            #expect(error.localizedDescription == "\(error)", "\(type)")
            #expect((error as NSError).localizedDescription == "\(error)", "\(type), bridged")
            #expect("\(error)".contains(" "), "\(type)")
        }
        #expect(Set(try DeclaredType.all().filter(\.isError).map(\.name)) == Set(errors.keys))
    }
}
