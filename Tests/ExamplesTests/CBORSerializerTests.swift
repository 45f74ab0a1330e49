import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

@testable import CBOR

/// The entry `cbor`: how it keeps the contracts, and what is sent and received by it.
@Suite(.timeLimit(.minutes(5))) struct CBORSerializerTests {
    struct Point: Codable, Equatable, Sendable {
        var x: Int
        var y: Double
    }

    static let point = Point(x: 1, y: 1.5)
    static let bytes = Data(hex: "a26178016179f93e00")

    @Test func conformance() async throws {
        try await checkConformance(
            of: CBOR(),
            good: CBORVector.all.map {
                ConformanceSample($0.diagnostic, Data(hex: $0.hex), contentType: "application/cbor")
            },
            bad: CBORFault.allCases.flatMap { fault in
                fault.examples.map { ConformanceSample("\(fault.rawValue): \($0)", Data(hex: $0)) }
            } + [ConformanceSample("a key twice", Data(hex: "a26473656e74006473656e7400"))])
    }

    @Test func conformanceOfTypes() async throws {
        try await checkConformance(
            of: CBOR(), decoding: Point.self, good: [ConformanceSample("a point", Self.bytes)],
            bad: [
                ConformanceSample("cut", Self.bytes.dropLast()),
                ConformanceSample("a text", Data(hex: "6a736563726574776f7264")),
                ConformanceSample("a text in it", Data(hex: "a261786a736563726574776f72646179f93e00")),
            ])
    }

    @Test(
        "What the entry writes it reads back, and writes to the same bytes again", arguments: CBORVector.all)
    func writesBack(_ vector: CBORVector) throws {
        let sample = ConformanceSample(vector.diagnostic, try CBOR().write(vector.value, as: "application/cbor"))
        let read = try CBOR().serialize(ResponseBody(sample.body), sample.head)
        #expect(read == vector.value)
        #expect(try Array(CBOR().write(read, as: "application/cbor")) == sample.body)
    }

    /// A server that sends back what it is sent.
    private static var echo: StubTransport {
        StubTransport { request in
            guard case .data(let body)? = request.body else { return StubReply(status: 400) }
            return StubReply(fields: ["Content-Type": request.head.fields["Content-Type"] ?? ""], body: body)
        }
    }

    private static func inCode() throws -> SerializerRegistry {
        try .standard.adding("cbor", CBOR(), types: ["application/cbor"], before: "json")
    }

    private static func byManifest() throws -> SerializerRegistry {
        var factories = SerializerFactories.standard
        try factories.register("cbor") { CBOR() }
        let manifest = Markdown.root.appending(path: "Examples/CBOR/cbor.json")
        return try SerializerRegistry([.file(manifest)], factories: factories)
    }

    @Test("A value is posted in the type that the call names") func postsInCode() async throws {
        let transport = Self.echo
        let manager = SessionManager(
            baseURL: URL(string: "http://api.example/"), registry: try Self.inCode(), transport: transport)
        let answer = try await manager.post("points", body: Self.point, in: "application/cbor", as: Point.self)
        #expect(answer == Self.point)
        let request = try #require(transport.requests.first)
        #expect(Self.body(of: request) == Self.bytes)
        #expect(request.head.fields["Content-Type"] == "application/cbor")
        // Without the type it is JSON, as everywhere.
        _ = try await manager.post("points", body: Self.point, as: Point.self)
        #expect(transport.requests.last?.head.fields["Content-Type"] == "application/json")
    }

    @Test("A host whose section says so is sent CBOR, and others are not") func postsByManifest() async throws {
        let registry = try Self.byManifest()
        #expect(registry.notes.filter(\.isWarning) == [])
        let transport = Self.echo
        let manager = SessionManager(registry: registry, transport: transport)
        for host in ["sensors.example", "www.example"] {
            let answer = try await manager.post("http://\(host)/points", body: Self.point, as: Point.self)
            #expect(answer == Self.point)
        }
        let types = transport.requests.map { $0.head.fields["Content-Type"] }
        #expect(types == ["application/cbor", "application/json"])
        #expect(transport.requests.first.flatMap(Self.body) == Self.bytes)
    }

    @Test("The registry says who writes it before a call is made") func explains() throws {
        let registry = try Self.byManifest()
        #expect(registry.explain(writing: Self.point, host: "sensors.example").entry == "cbor")
        #expect(registry.explain(writing: Self.point, host: "www.example").entry == "json")
        #expect(registry.explain(writing: Self.point, in: "application/senml+cbor").entry == "cbor")
    }

    @Test("A value that CBOR cannot hold is not sent") func cannotBeWritten() async throws {
        let transport = Self.echo
        let manager = SessionManager(registry: try Self.byManifest(), transport: transport)
        let error = await #expect(throws: SessionError.self) {
            try await manager.post("http://sensors.example/", body: [Date(timeIntervalSince1970: .nan)])
        }
        #expect(error?.cause is EncodingError)
        #expect(transport.requests.isEmpty)
    }

    @Test("A malformed answer fails with the entry and the place") func malformedAnswer() async throws {
        let transport = StubTransport { _ in
            StubReply(fields: ["Content-Type": "application/cbor"], body: Data(hex: "8200"))
        }
        let manager = SessionManager(registry: try Self.inCode(), transport: transport)
        let error = await #expect(throws: SessionError.self) { try await manager.send("http://www.example/") }
        #expect(error?.code == .serialization)
        #expect((error?.cause as? FormatFailure)?.code == .truncated)
        #expect("\(error as Any)".contains("cbor, byte 0: an array or a map announces more items than there are bytes"))
    }

    private static func body(of request: TransportRequest) -> Data? {
        if case .data(let body)? = request.body { body } else { nil }
    }
}
