import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestMediaTypesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let type: String
        let change: @Sendable (inout SessionRequest) throws -> Void
        var testDescription: String { type }
    }

    static let cases = [
        Case(type: "application/x-www-form-urlencoded") { $0.parameters = ["a": 1] },
        Case(type: "application/json") {
            $0.parameters = ["a": 1]
            $0.serializer = .json
        },
        Case(type: "application/x-plist") {
            $0.parameters = ["a": 1]
            $0.serializer = .propertyList
        },
        Case(type: "multipart/form-data; boundary=B") { $0.content = .multipart(MultipartFormData(boundary: "B")) },
        Case(type: "application/octet-stream") { $0.content = .data(Data([1])) },
    ]

    @Test("1.14: the media types of what is sent", arguments: cases)
    func sent(_ test: Case) async throws {
        let (manager, stub) = stubManager { _ in .json("1") }
        var request = SessionRequest("a", method: "POST")
        try test.change(&request)
        _ = try await manager.send(request)
        #expect(stub.requests.first?.head.fields.values(for: "Content-Type") == [test.type])
    }
}
