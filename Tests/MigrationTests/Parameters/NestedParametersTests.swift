import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// Dictionaries, whose order Swift makes up, inside of parameters.
@Suite(.timeLimit(.minutes(5))) struct NestedParametersTests {
    private static let names = (0..<16).map { "n\($0 / 10)\($0 % 10)" }

    /// Sixteen members, made in another order and with other room each time.
    private static func members(_ round: Int) -> [String: Int] {
        var members = [String: Int](minimumCapacity: 16 << (round % 4))
        for place in 0..<16 { members[names[(place * 5 + round) % 16]] = (place * 5 + round) % 16 }
        return members
    }

    private struct Filter: Encodable, Sendable {
        var zone = 1
        var tags: [String: Int]
        var alpha = 2
    }

    @Test("so are parameters in the order that they were given in, and those of Alamofire")
    func parameters() async throws {
        for round in 0..<8 {
            let tags = Self.members(round)
            var configuration = SessionConfiguration()
            configuration.requestSerializer = .json
            let (manager, stub) = stubManager(configuration: configuration) { _ in .json("1") }
            _ = try await manager.post("a", parameters: ["z": 1, "tags": tags, "a": 2])
            let members = Self.names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",")
            #expect(stub.requests.first?.body?.data == Data(#"{"z":1,"tags":{\#(members)},"a":2}"#.utf8))
            var rules = FormRules()
            rules.order = .outermostNames
            let text = try rules.writer.text(of: Parameters(encoding: Filter(tags: tags)).tree())
            #expect(
                text.removingPercentEncoding
                    == (["alpha=2"] + Self.names.enumerated().map { "tags[\($1)]=\($0)" } + ["zone=1"]).joined(
                        separator: "&"))
        }
    }
}
