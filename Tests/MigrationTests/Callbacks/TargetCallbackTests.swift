import Dispatch
import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// What a target may be, for every function that takes one and calls back.
@Suite(.timeLimit(.minutes(5))) struct TargetCallbackTests {
    /// A call to a target, and its end.
    struct Verb: Sendable, CustomTestStringConvertible {
        let name: String
        let method: String
        let call: @Sendable (SessionManager, String) async throws -> Void
        var testDescription: String { name }

        init(
            _ name: String, _ method: String,
            _ call: @escaping @Sendable (SessionManager, String) async throws -> Void
        ) {
            self.name = name
            self.method = method
            self.call = call
        }
    }

    private static let content = RequestContent.value("tea")
    private static let queue = DispatchQueue(label: "target-tests")

    /// Waits for the end of a call with callbacks.
    private static func ended(_ start: (@escaping @Sendable (any Sendable) -> Void) -> SessionTask) async {
        await withCheckedContinuation { continuation in _ = start { _ in continuation.resume() } }
    }

    static let verbs = [
        Verb("get", "GET") { manager, target in
            await ended { manager.get(target, on: queue, success: $0, failure: $0) }
        },
        Verb("get, typed", "GET") { manager, target in
            await ended { manager.get(target, as: Int.self, on: queue, success: $0, failure: $0) }
        },
        Verb("head", "HEAD") { manager, target in
            await ended { manager.head(target, on: queue, success: $0, failure: $0) }
        },
        Verb("post", "POST") { manager, target in
            await ended { manager.post(target, on: queue, success: $0, failure: $0) }
        },
        Verb("put", "PUT") { manager, target in
            await ended { manager.put(target, on: queue, success: $0, failure: $0) }
        },
        Verb("patch", "PATCH") { manager, target in
            await ended { manager.patch(target, on: queue, success: $0, failure: $0) }
        },
        Verb("delete", "DELETE") { manager, target in
            await ended { manager.delete(target, on: queue, success: $0, failure: $0) }
        },
        Verb("upload", "POST") { manager, target in
            await ended { manager.upload(content, to: target, on: queue, success: $0, failure: $0) }
        },
        Verb("upload, typed", "POST") { manager, target in
            await ended { manager.upload(content, to: target, as: Int.self, on: queue, success: $0, failure: $0) }
        },
    ]

    @Test("every verb sends its method to its target", arguments: verbs)
    func everyVerb(_ verb: Verb) async throws {
        let (manager, stub) = stubManager { _ in .json("7") }
        let text = "http://other.test/users/1?a=b"
        try await verb.call(manager, text)
        #expect(stub.requests.map(\.head.method) == [verb.method])
        #expect(stub.requests.map(\.head.url.absoluteString) == [text])
    }
}
