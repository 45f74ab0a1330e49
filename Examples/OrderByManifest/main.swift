// The order of handlers is in the manifest, not in the code: run this with json-first.json, then with text-first.json.
import Foundation
import Patchbay
import PatchbayTesting

guard let path = CommandLine.arguments.dropFirst().first else {
    print("usage: OrderByManifest MANIFEST")
    exit(2)
}
do throws(ManifestFailure) {
    let registry = try SerializerRegistry([.file(URL(filePath: path))])
    let manager = SessionManager(
        registry: registry,
        transport: StubTransport { request in
            let isData = request.head.url.path() == "/data"
            return StubReply(
                fields: ["Content-Type": "text/javascript"], body: isData ? #"{"lines": 24}"# : "let lines = 24")
        })
    for page in ["data", "script"] {
        do throws(SessionError) {
            let reply = try await manager.send("http://api.example/{page}", path: ["page": page])
            print("\(page): \(reply.entry ?? "nobody") made \(reply.value)")
        } catch {
            print("\(page): \(error)")
        }
    }
} catch {
    print(error)
    exit(3)
}
