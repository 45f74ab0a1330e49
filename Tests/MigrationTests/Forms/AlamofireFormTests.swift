import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// Forms as Alamofire sends them.
@Suite(.timeLimit(.minutes(5))) struct AlamofireFormTests {
    private func sent(
        _ serializer: FormParameterSerializer, _ parameters: Parameters?
    ) async throws -> (body: String?, type: [String]) {
        var request = SessionRequest("POST", "a", parameters: parameters)
        request.serializer = serializer
        let (manager, stub) = stubManager { _ in .json("1") }
        _ = try await manager.send(request)
        let sent = try #require(stub.requests.first)
        return (
            sent.body?.data.map { String(decoding: $0, as: UTF8.self) }, sent.head.fields.values(for: "Content-Type")
        )
    }

    @Test("1.9.1, 1.14: Alamofire's form has a charset, and nothing where there are no parameters")
    func charset() async throws {
        let form = try await sent(.alamofireForm, ["a": 1])
        #expect(form.type == ["application/x-www-form-urlencoded; charset=utf-8"])
        let nothing = try await sent(.alamofireForm, nil)
        #expect(nothing.body == nil)
        #expect(nothing.type.isEmpty)
    }

    @Test("1.9.1: elements in their order, and the outermost names sorted")
    func order() async throws {
        #expect(try await sent(.alamofireForm, ["b": [10, 9], "a": 1]).body == "a=1&b%5B%5D=10&b%5B%5D=9")
    }

    @Test("1.9.1, 1.9.4: the rules of the serializer are set in place")
    func inPlace() async throws {
        let parameters: Parameters = ["b": [2, 1], "a": true]
        #expect(
            try await sent(.alamofireForm.with { $0.rules.arrays = .noBrackets }, parameters).body == "a=1&b=2&b=1")
        #expect(
            try await sent(.alamofireForm.with { $0.rules.bools = .literal }, parameters).body
                == "a=true&b%5B%5D=2&b%5B%5D=1")
    }

    @Test("1.9.4: an Encodable form by Alamofire's defaults")
    func encodable() async throws {
        struct Form: Encodable {
            var zebra = [2, 10]
            var isOpen = true
            var when = Date(timeIntervalSinceReferenceDate: 1.5)
            var note: String?
            var inner = ["b": 1, "a": 2]
        }
        func sent(_ rules: FormRules) async throws -> String {
            var configuration = SessionConfiguration()
            configuration.requestSerializer = .alamofireForm.with { $0.rules = rules }
            let (manager, stub) = stubManager(configuration: configuration) { _ in .json("1") }
            _ = try await manager.post("a", parameters: Form())
            return String(decoding: try #require(stub.requests.first?.body?.data), as: UTF8.self)
        }
        #expect(
            try await sent(.alamofire)
                == "inner%5Ba%5D=2&inner%5Bb%5D=1&isOpen=1&when=1.5&zebra%5B%5D=10&zebra%5B%5D=2")
        var rules = FormRules.alamofire
        rules.nulls = .empty
        #expect(try await sent(rules).contains("&note=&"))
    }

    @Test("1.8.13: what AFNetworking recommends for 3G networks")
    func cellular() {
        #expect(Throttle.cellular3G == Throttle(bytes: 16_384, delay: .milliseconds(200)))
    }
}
