import Dispatch
import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import TestSupport
import Testing

/// Callbacks with parameters and with forms of named parts.
@Suite(.timeLimit(.minutes(5))) struct ParameterCallbackTests {
    private struct Shout: Error {}

    private let queue = DispatchQueue(label: "parameter-callbacks")

    /// A verb by name, called with callbacks in each of its ways.
    private func start(
        _ manager: SessionManager, _ verb: String, _ way: String, _ form: MultipartFormData,
        _ success: @escaping @Sendable (any Sendable) -> Void, _ failure: @escaping @Sendable (SessionError) -> Void
    ) {
        let (title, page, note) = ("Tea", 2, String?.none)
        let untyped: @Sendable (Reply<any Sendable>) -> Void = { success($0.entry) }
        let typed: @Sendable (Reply<[Int]>) -> Void = { success($0.value) }
        let value = ["title": title]
        let other: SessionVerb =
            switch verb {
            case "GET": manager.get
            case "HEAD": manager.head
            case "POST": manager.post
            case "PUT": manager.put
            case "PATCH": manager.patch
            default: manager.delete
            }
        switch (way, verb) {
        case ("literals", "GET"):
            manager.get(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", "HEAD"):
            manager.head(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", "POST"):
            manager.post(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", "PUT"):
            manager.put(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", "PATCH"):
            manager.patch(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", _):
            manager.delete(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals, typed", "GET"):
            manager.get(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("literals, typed", "POST"):
            manager.post(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("literals, typed", "PUT"):
            manager.put(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("literals, typed", "PATCH"):
            manager.patch(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("literals, typed", _):
            manager.delete(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("variables", _):
            other(
                "a", parameters: ["title": title, "page": page, "note": note], on: queue, success: untyped,
                failure: failure)
        case ("variables, typed", _):
            other(
                "a", as: [Int].self, parameters: ["title": title, "page": page, "note": note], on: queue,
                success: typed,
                failure: failure)
        case ("a value", _): other("a", parameters: value, on: queue, success: untyped, failure: failure)
        case ("a value, typed", _):
            other("a", as: [Int].self, parameters: value, on: queue, success: typed, failure: failure)
        case ("a form", _): other("a", multipart: form, on: queue, success: untyped, failure: failure)
        default: other("a", multipart: form, as: [Int].self, on: queue, success: typed, failure: failure)
        }
    }

    static let pairs = [
        "literals": "tags%5B%5D=x&tags%5B%5D=1&title=Tea", "variables": "note&page=2&title=Tea", "a value": "title=Tea",
    ]

    @Test(
        "1.6.3: each verb calls back with parameters and with a form of named parts, typed and not",
        arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
        ["literals", "variables", "a value", "a form"].flatMap { [$0, $0 + ", typed"] })
    func parameters(_ verb: String, _ way: String) async throws {
        let isTyped = way.hasSuffix(", typed")
        // A HEAD has no body that a type could be made of.
        guard verb != "HEAD" || !isTyped else { return }
        let (manager, stub) = stubManager { request in
            request.head.method == "HEAD" ? StubReply() : .json("[1]")
        }
        var form = MultipartFormData()
        form.append("Tea", name: "title")
        let outcome = await outcome { [form] success, failure in start(manager, verb, way, form, success, failure) }
        if way.hasPrefix("a form"), ["GET", "HEAD"].contains(verb) {
            #expect(outcome.error?.code == .invalidRequest, "GET and HEAD have no content")
            return
        }
        #expect(outcome.error == nil)
        if isTyped { #expect(outcome.value as? [Int] == [1]) }
        let request = try #require(stub.requests.first)
        #expect(request.head.method == verb)
        if way.hasPrefix("a form") {
            #expect(request.head.fields["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        } else {
            let pairs = Self.pairs[way.replacing(", typed", with: "")]
            let isQuery = ["GET", "HEAD", "DELETE"].contains(verb)
            #expect(request.head.url.query(percentEncoded: true) == (isQuery ? pairs : nil))
            #expect(request.body?.data == (isQuery ? nil : pairs.map { Data($0.utf8) }))
        }
    }

    @Test("1.6.5: parameters that cannot be encoded fail later, on the queue, with what they failed with")
    func unencodable() async throws {
        struct Stubborn: Encodable {
            func encode(to encoder: any Encoder) throws { throw Shout() }
        }
        let (manager, stub) = stubManager { _ in .json("1") }
        for parameters in [true, false] {
            let outcome = await outcome { success, failure in
                let done: @Sendable (Reply<any Sendable>) -> Void = { success($0.entry) }
                if parameters {
                    manager.post("a", parameters: Stubborn(), on: queue, success: done, failure: failure)
                } else {
                    manager.post(
                        "a", parameters: ["a": Stubborn(), "b": 1], on: queue, success: done, failure: failure)
                }
            }
            #expect(outcome.error?.code == .invalidRequest)
            #expect(outcome.error?.description == "the request was not sent: its parameters could not be encoded")
            #expect(outcome.error?.cause is Shout)
        }
        #expect(stub.requests.isEmpty)
    }

    @Test("1.5.9: the queue and the group are those of every verb, whatever its parameters")
    func queueAndGroupOfParameters() async throws {
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "callbacks")
        let (manager, _) = stubManager { _ in .json("1") }
        let group = DispatchGroup()
        let said = Shared<[String?]>([])
        let done: @Sendable (Reply<any Sendable>) -> Void = { _ in
            said.withLock { $0.append(DispatchQueue.getSpecific(key: key)) }
        }
        let page = 1
        manager.post("a", parameters: ["a": 1], on: queue, group: group, success: done, failure: { _ in })
        manager.put("a", parameters: ["a": page], on: queue, group: group, success: done, failure: { _ in })
        manager.delete("a", parameters: [page: page], on: queue, group: group, success: done, failure: { _ in })
        manager.patch("a", multipart: MultipartFormData(), on: queue, group: group, success: done, failure: { _ in })
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        #expect(said.withLock { $0 } == ["callbacks", "callbacks", "callbacks", "callbacks"])
    }
}
