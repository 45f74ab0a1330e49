import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayPlugins

/// The built-in serializers that write, held to the contract by the kit that outside authors use.
@Suite(.timeLimit(.minutes(5))) struct BuiltInWritingConformanceTests {
    struct Person: Codable, Equatable, Sendable {
        var name = "Ada \"雪\" \u{1}"
        var age = -36
        var height: Double? = 1.65
        var tags = ["", "a&b=c"]
    }

    struct Broken: Encodable {
        let name = "hunter2"
        let number = Double.nan
    }

    @Test func json() async throws {
        try await checkConformance(
            of: JSONSerializer(), writing: [Person(), Person(height: nil, tags: [])], as: .json,
            refusing: [Broken(), Double.infinity])
        try await checkConformance(
            of: JSONSerializer(), writing: [["a": [1, 2.5, "é", true, nil]], "hunter2", nil] as [JSON], as: .json)
    }

    @Test func propertyList() async throws {
        try await checkConformance(
            of: PropertyListSerializer(), writing: [Person(name: "Ada \"雪\"")], as: "application/x-plist",
            refusing: ["hunter2", 471_147])
        try await checkConformance(
            of: PropertyListSerializer(), writing: [["a": [1, 2]]], as: "application/x-apple-binary-plist",
            refusing: ["hunter2", 471_147])
    }

    @Test func form() async throws {
        try await checkConformance(
            of: FormSerializer(), writing: [FormFields([("a", "b c"), ("a", "é&=+%"), ("", "~*")]), FormFields()],
            as: .form, refusing: ["hunter2", [471_147], Double.nan])
    }

    @Test("ndjson") func lines() async throws {
        try await checkElementConformance(
            of: NDJSONSerializer(), writing: [Person(), Person(name: "\n")], as: .ndjson, refusing: [Broken()])
        try await checkElementConformance(of: NDJSONSerializer(), writing: [["a": "\n"], 1] as [JSON], as: .ndjson)
        try await checkConformance(
            of: NDJSONSerializer(), writing: [[1, 2], []] as [[JSON]], as: .ndjson,
            declining: [Person(name: "hunter2"), "hunter2", 471_147])
    }

    @Test("json-seq") func sequence() async throws {
        try await checkElementConformance(
            of: JSONSequenceSerializer(), writing: [Person(), Person(name: "\u{1E}")], as: "application/json-seq",
            refusing: [Broken()])
    }
}
