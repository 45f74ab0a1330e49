// One host has a serializer of its own: in a manifest, and then swapped in code while the manager is in use.
import Patchbay
import PatchbayTesting

/// Says how long a page is, for those who need no more of it.
struct LengthSerializer: ResponseSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> String { "\(body.count) bytes" }
}

let manifest = ManifestSource.text(
    """
    { "manifestVersion": 1,
      "hosts": {
        "legacy.example": {
          "plugins": [
            { "id": "legacy-json", "factory": "json", "match": { "types": ["@json", "text/html"] },
              "onFailure": "next" }
          ] } } }
    """, name: "hosts.json")
let manager = SessionManager(
    registry: try SerializerRegistry([manifest]),
    transport: StubTransport { _ in StubReply(fields: ["Content-Type": "text/html"], body: #"{"lines": 24}"#) })

func show(_ title: String) async throws {
    print(title)
    for host in ["www.example", "legacy.example"] {
        let reply = try await manager.send("http://\(host)/")
        print("  \(host): \(reply.entry ?? "nobody") made \(reply.value)")
    }
}

try await show("by the manifest:")
manager.registry = try manager.registry.replacing(
    "legacy-json", with: LengthSerializer(), host: "legacy.example")
try await show("after a swap in code:")
