// A format of your own, read and written: the manifest places its entry, and says which host is sent it.
import Foundation
import Patchbay
import PatchbayTesting

struct Reading: Codable, Sendable {
    let sensor: String
    let degrees: Double
    let taken: Date
    let raw: Data
}

guard let path = CommandLine.arguments.dropFirst().first else {
    print("usage: CBOR MANIFEST")
    exit(2)
}
var factories = SerializerFactories.standard
try factories.register("cbor") { CBOR() }
let registry = try SerializerRegistry([.file(URL(filePath: path))], factories: factories)

// The server speaks nothing but CBOR: it numbers the reading, and sends it back.
let server = StubTransport { request in
    let type = request.head.fields["Content-Type"]
    guard type == "application/cbor", case .data(let body)? = request.body,
        case .map(var members) = try CBORValue(parsing: body)
    else { return StubReply(status: 415, fields: ["Accept-Post": "application/cbor"]) }
    members[.text("number")] = .unsigned(7)
    return StubReply(fields: ["Content-Type": "application/cbor"], body: try CBORValue.map(members).encoded())
}
let reading = Reading(
    sensor: "roof", degrees: 21.5, taken: Date(timeIntervalSince1970: 1_363_896_240), raw: Data([1, 2, 3]))

func show(_ title: String, _ answer: CBORValue) throws {
    let reading = try answer.decode(Reading.self)
    let number = try answer.decode([String: CBORValue].self)["number"]?.integer(Int.self) ?? 0
    print("\(title): \(reading.sensor) has \(reading.degrees) degrees, and the number \(number)")
}

// The section of the host says the type, so that the call does not.
let manager = SessionManager(registry: registry, transport: server)
let answer = try await manager.post("http://sensors.example/readings", body: reading, as: CBORValue.self)
try show("by the manifest", answer)

// Without a manifest the entry is a line of code, and the call names the type.
let inCode = SessionManager(
    registry: try .standard.adding("cbor", CBOR(), types: ["application/cbor"], before: "json"), transport: server)
try show(
    "in code", try await inCode.post("http://x.example/", body: reading, in: "application/cbor", as: CBORValue.self))
