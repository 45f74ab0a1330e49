import Foundation
import PatchbayMigration
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayJSON
@testable import PatchbayManager
@testable import PatchbayPlugins
@testable import PatchbayRegistry

/// One of every error of ours: what Foundation makes of it, or of the error that callers see in its place, is its own sentence.
@Suite struct LocalizedErrorTests {
    private struct Named: Decodable {
        let name: String?
    }

    private static func error(_ body: () throws -> Void) throws -> any Error {
        try #require(throws: (any Error).self) { try body() }
    }

    private static let published: [String: any Error] = [
        "SessionError": SessionError(.cancelled, "the call was cancelled"),
        "FormatFailure": FormatFailure("csv", .malformed, "it is no row", line: 3),
        "TransportFailure": TransportFailure(.lostConnection, "the connection was lost"),
        "ManifestFailure": ManifestFailure(.invalidJSON, file: "a.json", "it is empty"),
        "ResponseValidator.Failure": ResponseValidator.Failure.unacceptableStatus(404),
        "ParametersFailure": ParametersFailure("a list has no name"),
        "ConformanceFailure": ConformanceFailure(findings: ["the sample \"a\": it is bad, and was taken"]),
    ]

    /// Those that callers see as a `FormatFailure`.
    private static func faults() throws -> [String: any Error] {
        [
            "BodyLimitFailure": BodyLimitFailure(limit: 5),
            "ListLimitFailure": ListLimitFailure(limit: 5),
            "ElementFailure": ElementFailure(.line, 3, reason: "it is cut off"),
            "ElementLimitFailure": ElementLimitFailure(limit: 5),
            "TextDecodingFailure": TextDecodingFailure(.unknownCharset, charset: "utf-7"),
            "PatternFailure": PatternFailure("it is no pattern", suggestion: "a/b"),
            "JSON.ParseFailure": try error { _ = try JSON(document: Data("[".utf8)) },
            "JSON.UnknownKeysFailure": try error {
                _ = try JSON(parsing: #"{"a": 1}"#).decodeRefusingUnknownKeys(Named.self)
            },
            "XMLFailure": XMLFailure(.noRootElement, "it is empty", line: 1, column: 2),
            "OptionFailure": OptionFailure("scale", "is 0"),
            "ImageFailure": ImageFailure.noDimensions,
        ]
    }

    /// Those that callers see as a `SessionError`, and that error.
    private static func ended() throws -> [String: (any Error, SessionError)] {
        let content = ContentFailure(.missingFile, "there is no file a.txt")
        let file = FileFailure(name: "a.txt", .other("it is a folder"))
        let credential = AuthenticationFailure.missingCredential
        let manifest = #"{ "manifestVersion": 1, "policy": { "noMatch": "error" } }"#
        let decision = try SerializerRegistry(
            sources: [.text(manifest, name: "a.json")], factories: SerializerFactories()
        ).explain(contentType: "a/b")
        let body = ResponseBody(Data("x".utf8))
        let lookup = try #require(throws: LookupFailure.self) { try decision.serialize(body) }
        return [
            "ContentFailure": (content, SessionError(.invalidRequest, content.reason, cause: content)),
            "FileFailure": (file, SessionError(file)),
            "AuthenticationFailure": (credential, SessionError(adapting: credential)),
            "LookupFailure": (lookup, SessionError(lookup, decision, body)),
        ]
    }

    private static func expectSentence(_ error: any Error, _ sentence: String, _ type: String) {
        #expect(error.localizedDescription == sentence, "\(type)")
        #expect((error as NSError).localizedDescription == sentence, "\(type), bridged")
        #expect(sentence.contains(" "), "\(type)")
    }

    @Test("localizedDescription is the sentence of the error")
    func sentences() throws {
        for (type, error) in Self.published { Self.expectSentence(error, "\(error)", type) }
        #expect(Set(try DeclaredType.all().filter(\.isError).map(\.name)) == Set(Self.published.keys))
    }

    @Test("an error inside has the same sentence where callers see it, and stays inside itself")
    func inside() throws {
        let (faults, ended) = (try Self.faults(), try Self.ended())
        for (type, error) in faults {
            let published = FormatFailure.published(error)
            #expect(published is FormatFailure, "\(type)")
            #expect("\(published)" == "\(error)", "\(type)")
            Self.expectSentence(published, "\(error)", type)
        }
        for (type, (error, call)) in ended {
            #expect(call.description.hasSuffix("\(error)"), "\(type)")
            #expect(call.cause == nil, "\(type)")
            Self.expectSentence(call, "\(call)", type)
        }
        #expect(
            Set(try DeclaredType.inside().filter(\.isError).map(\.name)).subtracting(ErrorTablesTests.unseen.keys)
                == Set(faults.keys).union(ended.keys))
    }
}
