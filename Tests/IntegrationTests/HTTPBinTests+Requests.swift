import Patchbay
import Testing

/// What is sent: methods, content, queries.
extension HTTPBinTests {
    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func eachMethodSendsItsContent(_ method: String) async throws {
        let path = method.lowercased()
        let form = try await manager.request(method, path, .form([("name", "Zoë & co")]), as: JSON.self)
        #expect(form["form"] == ["name": "Zoë & co"])
        let json = try await manager.request(method, path, .json(["size": 7]), as: JSON.self)
        #expect(json["json"] == ["size": 7])
        #expect(json.pointer("/headers/Content-Type") == "application/json")
    }

    @Test func theVerbsAreTheirMethods() async throws {
        #expect(try await manager.get("anything", as: JSON.self)["method"] == "GET")
        #expect(try await manager.post("anything", as: JSON.self)["method"] == "POST")
        #expect(try await manager.put("anything", as: JSON.self)["method"] == "PUT")
        #expect(try await manager.patch("anything", as: JSON.self)["method"] == "PATCH")
        #expect(try await manager.delete("anything", as: JSON.self)["method"] == "DELETE")
    }

    @Test func aLargeBodyArrivesWhole() async throws {
        let sent = String(repeating: "0123456789abcdef", count: 32_768)
        let json = try await manager.post("anything", .text(sent), as: JSON.self)
        #expect(json["data"]?.string == sent)
    }

    @Test func theQueryIsEncoded() async throws {
        let json = try await manager.get("anything", as: JSON.self, query: [("q", "a b&c=d"), ("empty", "")])
        #expect(json["args"] == ["q": "a b&c=d", "empty": ""])
    }
}
