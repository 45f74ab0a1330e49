import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Every code of `SessionError`, provoked as a user would, with its exact sentence.
@Suite(.timeLimit(.minutes(5))) struct SessionErrorTests {
    static let rows = SessionErrorRow.requests + SessionErrorRow.exchanges + SessionErrorRow.responses

    @Test("an error is one reference, because every frame of a call has room for one, and a copy of it is its own")
    func size() {
        #expect(MemoryLayout<SessionError>.size == MemoryLayout<UnsafeRawPointer>.size)
        let error = SessionError(.cancelled, "the call was cancelled")
        var copy = error
        copy.facts.retries = 2
        #expect(copy.retries == 2)
        #expect(error.retries == 0)
    }

    @Test(
        "1.13: each error of Alamofire, and each of our own, has a code, a sentence and a cause",
        arguments: rows)
    func row(_ row: SessionErrorRow) async throws {
        let error = try #require(await #expect(throws: SessionError.self) { try await row.provoke() })
        #expect(error.code == row.code)
        #expect(error.description == row.sentence)
        #expect(error.cause.map { "\(type(of: $0))" } == row.cause)
        #expect((error.original != nil) == [.retryRefused, .excessiveRefresh].contains(row.code))
    }

    @Test("no code is without a row")
    func complete() throws {
        #expect(try DeclaredErrors.codes(of: "SessionError.Code") == Set(Self.rows.map(\.code.rawValue)))
    }

    /// `AFError` of 5.12, with the reasons of its two response errors, but for those that only calls of
    /// `PatchbayMigration` end with: these are among the rows of `MigrationErrorTests`.
    static let alamofire: Set = [
        "createUploadableFailed", "downloadedFileMoveFailed", "explicitlyCancelled",
        "invalidURL", "multipartEncodingFailed", "requestAdaptationFailed", "requestRetryFailed",
        "serverTrustEvaluationFailed", "sessionInvalidated",
        "sessionTaskFailed", "urlRequestValidationFailed",
        "responseValidationFailed unacceptableStatusCode", "responseValidationFailed customValidationFailed",
        "responseSerializationFailed inputDataNilOrZeroLength", "responseSerializationFailed inputFileNil",
        "responseSerializationFailed inputFileReadFailed", "responseSerializationFailed stringSerializationFailed",
        "responseSerializationFailed jsonSerializationFailed", "responseSerializationFailed decodingFailed",
        "responseSerializationFailed customSerializationFailed", "responseSerializationFailed invalidEmptyResponse",
    ]

    @Test("1.13: no error of Alamofire's is without a row, but those that cannot be here")
    func taxonomy() {
        #expect(Set(Self.rows.compactMap(\.alamofire)) == Self.alamofire)
    }

    @Test("1.13: sessionDeinitialized cannot happen: a call keeps its manager until it has ended")
    func deinitialized() async throws {
        var manager: SessionManager? = try stubManager { _ in .json("1") }.0
        let call = try #require(manager?.held(SessionRequest("a"), as: Int.self))
        manager = nil
        #expect(try await call.begin().reply.value == 1)
    }
}
