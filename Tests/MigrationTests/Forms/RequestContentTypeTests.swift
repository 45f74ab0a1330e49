import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import TestSupport
import Testing

/// AFNetworking has one request serializer for a manager. A line of the policy has the registry write the same bytes.
@Suite(.timeLimit(.minutes(5))) struct RequestContentTypeTests {
    struct Trip: Encodable, Sendable {
        struct Place: Encodable, Sendable {
            var city = "Wien"
            var zip = 1010
        }

        var legs = [[1, 2], [3]]
        var start = Place()
        var stops = ["b", "a"]
    }

    /// Members that are not in order, and values that forms write in many ways.
    struct Note: Encodable, Sendable {
        var title = "two words & more"
        var isOpen = true
        var author: String?
        var at = Date(timeIntervalSince1970: 5)
        var place = ["é"]
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let serializer: any ParameterSerializer
        let manifest: String
        let isNote: Bool
        let type: String
        var testDescription: String { name }

        init(
            _ name: String, _ serializer: any ParameterSerializer, _ type: String, options: String = "{}",
            isNote: Bool = false
        ) {
            (self.name, self.serializer, self.type, self.isNote) = (name, serializer, type, isNote)
            manifest = #"""
                { "manifestVersion": 1, "policy": { "requestContentType": "\#(type)" },
                  "plugins": [{ "id": "form", "options": \#(options) }] }
                """#
        }
    }

    /// The options that the guide prints.
    private static let allRules =
        #"{ "arrays": "brackets", "bools": "numeric", "nulls": "nameOnly", "order": "names", "spaces": "percentEncoded" }"#

    static let rows = [
        Row(
            "AFHTTPRequestSerializer", .form, "application/x-www-form-urlencoded", options: #"{ "arrays": "brackets" }"#
        ),
        Row(
            "all its rules", .form, "application/x-www-form-urlencoded",
            options: allRules, isNote: true),
        Row("AFJSONRequestSerializer", .json, "application/json"),
        Row("AFPropertyListRequestSerializer", .propertyList, "application/x-plist"),
    ]

    private func sent(
        _ request: SessionRequest, _ registry: SerializerRegistry = .standard,
        _ configuration: SessionConfiguration = SessionConfiguration()
    ) async throws -> TransportRequest {
        let stub = StubTransport { _ in .json("1") }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: registry, transport: stub,
            configuration: configuration)
        _ = try await manager.send(request)
        return try #require(stub.requests.first)
    }

    @Test("1.6.9, 1.8.12: a line of the policy sends what the serializer of the manager sends", arguments: rows)
    func same(_ row: Row) async throws {
        let value: any Encodable & Sendable = row.isNote ? Note() : Trip()
        let byPolicy = try await sent(
            SessionRequest("a", body: value), try SerializerRegistry([.text(row.manifest)]))
        var configuration = SessionConfiguration()
        configuration.requestSerializer = row.serializer
        let bySerializer = try await sent(
            SessionRequest("POST", "a", parameters: try Parameters(encodingMarked: value)), .standard, configuration)
        let (one, other) = (byPolicy.body?.data, bySerializer.body?.data)
        #expect(one.map { String(decoding: $0, as: UTF8.self) } == other.map { String(decoding: $0, as: UTF8.self) })
        #expect(one?.isEmpty == false)
        #expect(byPolicy.head.fields.values(for: "Content-Type") == [row.type])
        #expect(bySerializer.head.fields.values(for: "Content-Type") == [row.type])
    }

    @Test("the guide prints the options that give the bytes of AFNetworking")
    func guide() throws {
        let guide = try Markdown("Documentation/ComingFromAFNetworkingOrAlamofire.md").text
        #expect(guide.contains("`\"options\": \(Self.allRules)` in the entry `form`"))
    }

    @Test("a form of nested values has the names of AFNetworking")
    func names() async throws {
        let request = try await sent(
            SessionRequest("a", body: Trip()), try SerializerRegistry([.text(Self.rows[0].manifest)]))
        let pairs = [
            "legs[][]=1", "legs[][]=2", "legs[][]=3", "start[city]=Wien", "start[zip]=1010", "stops[]=b", "stops[]=a",
        ]
        let text = String(decoding: try #require(request.body?.data), as: UTF8.self)
        #expect(text.removingPercentEncoding == pairs.joined(separator: "&"))
    }
}
