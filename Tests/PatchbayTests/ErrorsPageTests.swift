import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// Holds the page on errors to the sources: every error is there, and each of its kinds.
@Suite struct ErrorsPageTests {
    /// The kinds that each section of an error has in its table.
    private static func sections() throws -> [String: [String]] {
        let sections = try Markdown("Documentation/Errors.md").text.split(separator: "\n### `").dropFirst()
        return Dictionary(
            sections.map { section in
                let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
                return (
                    String(section.prefix { $0 != "`" }),
                    rows.map { String($0.dropFirst(3).prefix { $0 != "`" }) }
                )
            }, uniquingKeysWith: +)
    }

    @Test("every public error has a section, and nothing else has")
    func complete() throws {
        #expect(Set(try Self.sections().keys) == Set(try DeclaredType.all().filter(\.isError).map(\.name)))
    }

    @Test("every kind of every error has a row, and nothing else has")
    func kinds() throws {
        for (name, rows) in try Self.sections() {
            let kinds = try DeclaredErrors.kinds(of: name)
            #expect(Set(rows) == kinds, "\(name)")
            #expect(Set(rows).count == rows.count, "\(name)")
        }
    }

    @Test("RetryPolicy sends a call again after the first ten codes of a TransportFailure")
    func retried() throws {
        let codes = try #require(try Self.sections()["TransportFailure"]).prefix(10)
        #expect(Set(codes) == Set(RetryPolicy().transportFailures.map(\.rawValue)))
    }

    @Test("every error is in the tree")
    func tree() throws {
        let tree = try #require(try Markdown("Documentation/Errors.md").blocks(of: "text").first)
        let words = Set(tree.split { !($0.isLetter || $0.isNumber || $0 == ".") }.map(String.init))
        for name in try Self.sections().keys { #expect(words.contains(name), "\(name)") }
    }

    @Test("an error that a call ends with is an Error, any other a Failure")
    func names() throws {
        let names = try DeclaredType.all().filter(\.isError).map(\.name).filter { $0 != "SessionError" }
        for name in names { #expect(name.hasSuffix("Failure"), "\(name)") }
    }

    @Test(
        "a call for one value of a format of elements fails with the advice, or the reason, of the page",
        .timeLimit(.minutes(5)),
        arguments: [
            ("text/csv", "; ask for an array or a stream", #"("ask for an array or a stream")"#),
            ("application/x-ndjson", "it makes [JSON], not User", "`it makes [JSON], not Item`"),
        ])
    func oneOfMany(_ type: String, _ words: String, _ ofPage: String) async throws {
        let stub = StubTransport { _ in StubReply(fields: ["Content-Type": type], body: "{}") }
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub)
        let error = await #expect(throws: SessionError.self) { try await manager.get("x", as: User.self) }
        #expect(error?.code == .noReader)
        #expect(error?.reason.contains(words) == true, "\(String(describing: error))")
        #expect(try Markdown("Documentation/Errors.md").text.contains(ofPage))
    }

    @Test("its Swift is compiled")
    func examples() throws {
        let page = try Markdown("Documentation/Errors.md")
        #expect(try page.swift(missingIn: ["Tests/PatchbayTests/ErrorExamples.swift"]) == [])
    }

    @Test("an error and a reply of one's own are as those of a call, and advice is found in each error")
    func advice() throws {
        let (error, reply) = made(try #require(URL(string: "https://api.example.com/users/1")))
        #expect(error.head?.status == 404)
        #expect(PatchbayTests.advice(error) == "There is no user 1.")
        #expect(reply.value.name == "Ada")
        #expect(reply.entry == "json")
        let broken = FormatFailure("json", .malformed, "expected a value", line: 2, column: 3, offset: 9)
        let lost = TransportFailure(.lostConnection, "the connection was lost")
        for (error, sentence) in [
            (SessionError(.serialization, reason: "", cause: broken), "line 2: expected a value"),
            (SessionError(.transport, reason: "", cause: lost), "try again"),
            (SessionError(.idleTimeout, reason: ""), "try again later"),
            (SessionError(.cancelled, reason: "the call was cancelled"), "the call was cancelled"),
        ] { #expect(PatchbayTests.advice(error) == sentence) }
    }
}
