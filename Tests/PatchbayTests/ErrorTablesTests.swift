import Foundation
import TestSupport
import Testing

/// Every public error of the sources has a table of its sentences, and whoever adds an error hears that it has none.
@Suite struct ErrorTablesTests {
    /// The error, and the test file with the table that has a row for each of its codes or cases.
    static let tables = [
        "SessionError": "ManagerTests/Errors/SessionErrorTests.swift",
        "RetryFailure": "ManagerTests/Errors/FailureSentenceTests.swift",
        "ContentFailure": "ManagerTests/Errors/FailureSentenceTests.swift",
        "FileFailure": "ManagerTests/Errors/FailureSentenceTests.swift",
        "AuthenticationFailure": "ManagerTests/Errors/FailureSentenceTests.swift",
        "ResponseValidator.Failure": "ManagerTests/Errors/FailureSentenceTests.swift",
        "ParametersFailure": "ManagerTests/Errors/SessionErrorRow+Request.swift",
        "TransportFailure": "URLSessionTests/TransportFailureTests.swift",
        "FormatFailure": "RegistryTests/Contract/FormatFailureTests.swift",
        "LookupFailure": "RegistryTests/Lookup/LookupFailureTests.swift",
        "BodyLimitFailure": "RegistryTests/Lookup/LookupFailureTests.swift",
        "ElementFailure": "RegistryTests/Contract/StreamingContractTests.swift",
        "ElementLimitFailure": "RegistryTests/Contract/StreamingContractTests.swift",
        "TextDecodingFailure": "RegistryTests/Lookup/LookupFailureTests.swift",
        "ManifestFailure": "RegistryTests/Manifest/ManifestFailureTests.swift",
        "PatternFailure": "RegistryTests/PatternFailureTests.swift",
        "JSON.ParseFailure": "JSONTests/ParseFailureCodesTests.swift",
        "JSON.UnknownKeysFailure": "JSONTests/UnknownKeysTests.swift",
        "XMLFailure": "PluginsTests/FailureSentenceTests.swift",
        "PropertyListFailure": "PluginsTests/FailureSentenceTests.swift",
        "CSVFailure": "PluginsTests/FailureSentenceTests.swift",
        "MultipartFailure": "PluginsTests/FailureSentenceTests.swift",
        "FormFailure": "PluginsTests/FailureSentenceTests.swift",
        "OptionFailure": "PluginsTests/FailureSentenceTests.swift",
        "ProblemFailure": "PluginsTests/FailureSentenceTests.swift",
        "UntypedResponseFailure": "PluginsTests/FailureSentenceTests.swift",
        "ImageFailure": "PluginsTests/Image/ImageHeaderTests.swift",
    ]

    @Test("no public error is without a table")
    func complete() throws {
        #expect(Set(try DeclaredType.all().filter(\.isError).map(\.name)) == Set(Self.tables.keys))
    }

    @Test("each table is where it is said to be", arguments: Set(tables.values).sorted())
    func exists(_ path: String) {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        #expect(FileManager.default.fileExists(atPath: tests.appending(path: path).path))
    }
}
