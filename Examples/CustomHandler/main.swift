// A content type of your own: one serializer, one factory, one entry over the standard table.
import Foundation
import Patchbay
import PatchbayTesting

struct CSVSerializer: ResponseSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [[String]] {
        let text = try body.text(head.mediaType)
        let rows = text.split(whereSeparator: \.isNewline).map { line in
            line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        for (index, row) in rows.enumerated() where row.count != rows[0].count {
            throw FormatFailure("csv", .malformed, "\(row.count) fields, not \(rows[0].count)", line: index + 1)
        }
        return rows
    }
}

var factories = SerializerFactories.standard
try factories.register("csv") { CSVSerializer() }

let manifest = ManifestSource.text(
    """
    { "manifestVersion": 1,
      "plugins": [ { "id": "csv", "factory": "csv", "match": { "types": ["text/csv"] } } ] }
    """, name: "csv.json")
let registry = try SerializerRegistry([manifest], factories: factories)

// The answers of the server: a table, and JSON, which the standard table reads as before.
let transport = StubTransport { request in
    request.head.url.path() == "/prices"
        ? StubReply(fields: ["Content-Type": "text/csv; charset=utf-8"], body: "tea,2.50\ncoffee,3.20\n")
        : StubReply(fields: ["Content-Type": "application/json"], body: #"{"open": true}"#)
}
let manager = SessionManager(registry: registry, transport: transport)

let rows = try await manager.get("http://shop.example/prices", as: [[String]].self)
for row in rows { print(row.joined(separator: " costs ")) }

for page in ["prices", "status"] {
    let reply = try await manager.send("http://shop.example/{page}", path: ["page": page])
    print("\(page): \(reply.entry ?? "nobody") made \(type(of: reply.value))")
}
