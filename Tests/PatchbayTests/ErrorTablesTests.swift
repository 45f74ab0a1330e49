import Foundation
import TestSupport
import Testing

/// Every error of ours has a table of its sentences, and a new one without a table fails here.
@Suite struct ErrorTablesTests {
    /// The errors that callers see, and the test file with the table that has a row for each of their codes or cases.
    static let published = [
        "SessionError": "ManagerTests/Errors/SessionErrorTests.swift",
        "TransportFailure": "URLSessionTests/TransportFailureTests.swift",
        "FormatFailure": "RegistryTests/Contract/FormatFailureTests.swift",
        "ManifestFailure": "RegistryTests/Manifest/ManifestFailureTests.swift",
    ]

    /// The same, of PatchbayMigration.
    static let ofMigration = [
        "ResponseValidator.Failure": "ManagerTests/Errors/FailureSentenceTests.swift",
        "ParametersFailure": "ManagerTests/Errors/SessionErrorRow+Request.swift",
    ]

    /// The same, of PatchbayTesting, for the authors of serializers.
    static let ofTesting = ["ConformanceFailure": "TestingTests/ConformanceTests.swift"]

    /// The errors inside, which callers see as one of the four; their sentences are the ones that callers read.
    static let inside = [
        "ContentFailure": "ManagerTests/Errors/FailureSentenceTests.swift",
        "FileFailure": "ManagerTests/Errors/FailureSentenceTests.swift",
        "AuthenticationFailure": "ManagerTests/Errors/FailureSentenceTests.swift",
        "LookupFailure": "RegistryTests/Lookup/LookupFailureTests.swift",
        "BodyLimitFailure": "RegistryTests/Lookup/LookupFailureTests.swift",
        "ElementFailure": "RegistryTests/Contract/StreamingContractTests.swift",
        "ElementLimitFailure": "RegistryTests/Contract/StreamingContractTests.swift",
        "ListLimitFailure": "PluginsTests/ElementListTests.swift",
        "TextDecodingFailure": "RegistryTests/Lookup/LookupFailureTests.swift",
        "PatternFailure": "RegistryTests/PatternFailureTests.swift",
        "JSON.ParseFailure": "JSONTests/ParseFailureCodesTests.swift",
        "JSON.UnknownKeysFailure": "JSONTests/UnknownKeysTests.swift",
        "XMLFailure": "PluginsTests/FormatSentenceTests.swift",
        "OptionFailure": "PluginsTests/FormatSentenceTests.swift",
        "ImageFailure": "ImagesTests/ImageHeaderTests.swift",
    ]

    /// Errors that no caller of a library comes to: one of the command line, one that both transports put in words of their own,
    /// one whose `cause` they see, and one inside a `DecodingError`.
    static let unseen = [
        "ComparisonFailure": "RegistryTests/Comparison/ComparisonTests.swift",
        "InvalidValue": "RegistryTests/Lookup/LookupFailureTests.swift",
        "MessageFraming.Ambiguity": "URLSessionTests/TransportFailureTests.swift",
        "WritingFailure": "RegistryTests/Lookup/WriterSentenceTests.swift",
    ]

    @Test("callers see four errors, those of Migration, and that of the conformance kit")
    func four() throws {
        #expect(
            Set(try DeclaredType.all().filter(\.isError).map(\.name))
                == Set(Self.published.keys).union(Self.ofMigration.keys).union(Self.ofTesting.keys))
        #expect(Self.published.count == 4)
    }

    @Test("no error inside is without a table")
    func complete() throws {
        #expect(
            Set(try DeclaredType.inside().filter(\.isError).map(\.name))
                == Set(Self.inside.keys).union(Self.unseen.keys))
    }

    private static let files = [published, ofMigration, ofTesting, inside, unseen].flatMap(\.values)

    @Test("each table is where it is said to be", arguments: Set(files).sorted())
    func exists(_ path: String) {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        #expect(FileManager.default.fileExists(atPath: tests.appending(path: path).path))
    }
}
