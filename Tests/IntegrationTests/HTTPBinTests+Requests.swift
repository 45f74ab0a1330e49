import Foundation
import Patchbay
import PatchbayMigration
import TestSupport
import Testing

/// What is sent: methods, content, queries.
extension HTTPBinTests {
    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func eachMethodSendsItsContent(_ method: String) async throws {
        let path = method.lowercased()
        let form = try await manager.send(
            SessionRequest(
                path, method: method,
                content: .value(FormFields([("name", "Zoë & co")]), in: .form)),
            as: JSON.self
        ).value
        #expect(form["form"] == ["name": "Zoë & co"])
        let json = try await manager.send(SessionRequest(path, method: method, body: ["size": 7]), as: JSON.self).value
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
        let json = try await manager.post("anything", body: sent, as: JSON.self)
        #expect(json["data"]?.string == sent)
    }

    @Test func theQueryIsEncoded() async throws {
        let json = try await manager.get("anything", query: [("q", "a b&c=d"), ("empty", "")], as: JSON.self)
        #expect(json["args"] == ["q": "a b&c=d", "empty": ""])
    }

    @Test func parametersAreAQueryAFormOrJSON() async throws {
        let parameters: Parameters = ["text": "a b&c=d+\u{E9}", "list": [1, 2], "nested": ["k": true]]
        let pairs: JSON = ["text": "a b&c=d+\u{E9}", "list[]": ["1", "2"], "nested[k]": "1"]
        #expect(try await manager.get("anything", as: JSON.self, parameters: parameters)["args"] == pairs)
        #expect(try await manager.post("anything", as: JSON.self, parameters: parameters)["form"] == pairs)
        var request = SessionRequest("PUT", "anything", parameters: parameters)
        request.serializer = .json
        let json = try await manager.send(request, as: JSON.self).value
        #expect(json["json"] == ["text": "a b&c=d+\u{E9}", "list": [1, 2], "nested": ["k": true]])
    }

    @Test func aMultipartFormIsEchoed() async throws {
        var form = MultipartFormData()
        form.append("Zo\u{EB}", name: "name")
        form.append(Data(repeating: 0x78, count: 100_000), name: "file", fileName: "a\"b.txt")
        let json = try await manager.post("anything", multipart: form, parameters: ["first": 1], as: JSON.self)
        #expect(json["form"] == ["first": "1", "name": "Zo\u{EB}"])
        #expect(json["files"] == ["file": .init(String(repeating: "x", count: 100_000))])
        #expect(json.pointer("/headers/Content-Length")?.string.flatMap { Int($0) } ?? 0 > 100_000)
    }

    @Test func credentialsAreAccepted() async throws {
        let manager = HTTPBin.manager()
        manager.setHeader(try HeaderFields.basic(user: "me", password: "secret"), for: "Authorization")
        #expect(try await manager.get("basic-auth/me/secret", as: JSON.self)["authenticated"] == true)
        manager.setHeader("Bearer t0ken", for: "Authorization")
        #expect(try await manager.get("bearer", as: JSON.self)["token"] == "t0ken")
        manager.setHeader(nil, for: "Authorization")
        let error = await #expect(throws: SessionError.self) { try await manager.send("bearer") }
        #expect(error?.head?.status == 401)
    }
}
