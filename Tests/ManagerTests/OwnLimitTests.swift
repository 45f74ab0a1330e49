import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// `maximumBodyBytes` of a request, where the entry allows 8 bytes.
@Suite(.timeLimit(.minutes(5))) struct OwnLimitTests {
    struct OwnLimit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var policy = "{}"
        let limit: Int?
        var status = 200
        let reply: StubReply
        /// The owner of the limit that refuses the body; nil if the body is read.
        let owner: String?
    }

    static let ownLimits = [
        OwnLimit(
            testDescription: "none", limit: nil, reply: .words("123456789"),
            owner: "8 bytes, the limit of entry words (maxBodyBytes)"),
        OwnLimit(testDescription: "above that of the entry", limit: 9, reply: .words("123456789"), owner: nil),
        OwnLimit(
            testDescription: "above that of the entry, and reached", limit: 9, reply: .words("1234567890"),
            owner: "9 bytes, the limit of the request (maximumBodyBytes)"),
        OwnLimit(
            testDescription: "none at all", limit: .max, reply: .words(String(repeating: "1", count: 100_000)),
            owner: nil),
        OwnLimit(
            testDescription: "above that of the policy", policy: #"{ "limits": { "maxBodyBytes": 3 } }"#, limit: 9,
            reply: .words("123456789"), owner: nil),
        OwnLimit(
            testDescription: "below that of the entry", limit: 7, reply: .words("12345678"),
            owner: "7 bytes, the limit of the request (maximumBodyBytes)"),
        OwnLimit(
            testDescription: "of no bytes", limit: 0, reply: .words("1"),
            owner: "0 bytes, the limit of the request (maximumBodyBytes)"),
        OwnLimit(
            testDescription: "with an announced length between the two", limit: 20,
            reply: StubReply(fields: ["Content-Type": "text/words", "Content-Length": "9"], body: "123456789"),
            owner: nil),
        OwnLimit(
            testDescription: "with an announced length above both", limit: 20,
            reply: StubReply(fields: ["Content-Type": "text/words", "Content-Length": "21"], body: "1"),
            owner: "20 bytes, the limit of the request (maximumBodyBytes)"),
    ]

    @Test("a negative limit of a request is one of no bytes, for a body in pieces too", arguments: [-1, Int.min])
    func negative(_ limit: Int) async throws {
        let manager = SessionManager(
            registry: try TestRegistry.make(),
            transport: PlayedTransport { _, _, receiver in
                _ = receiver.receive(status: 200, fields: ["Content-Type": "text/words"])
                for _ in 0..<3 { receiver.receive(count: 1) }
            })
        var request = SessionRequest("http://origin.test/a")
        request.maximumBodyBytes = limit
        let error = await #expect(throws: SessionError.self) { try await manager.send(request, as: [String].self) }
        #expect(error?.reason.contains("0 bytes, the limit of the request (maximumBodyBytes)") == true)
        // The body of a call for no value can be left out.
        _ = try? await manager.send(request, as: Void.self)
    }

    @Test("the limit of a request counts in place of those of entry and policy, lower or higher", arguments: ownLimits)
    func ownLimit(_ row: OwnLimit) async throws {
        let (manager, _) = try stubManager(TestRegistry.make(policy: row.policy)) { _ in row.reply }
        var request = SessionRequest("a")
        request.maximumBodyBytes = row.limit
        do throws(SessionError) {
            let reply = try await manager.send(request, as: [String].self)
            #expect(row.owner == nil)
            #expect(reply.value.count == 1)
            // The limit holds for what is made later of the kept bytes.
            #expect(try reply.decode(as: [String].self) == reply.value)
            #expect(try await manager.send(request).value as? [String] == reply.value)
        } catch {
            #expect(error.code == .bodyTooLarge)
            #expect(error.reason == "the body is larger than \(row.owner ?? "-")")
        }
    }

    @Test("a higher limit holds for the body of an error, and for a body that an entry unwraps")
    func ownLimitElsewhere() async throws {
        var request = SessionRequest("a")
        request.maximumBodyBytes = 20
        let (manager, _) = try stubManager { _ in .words("123456789", status: 500) }
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.value as? [String] == ["123456789"] && error?.bodyFailure == nil)

        let registry = try TestRegistry.make(policy: #"{ "limits": { "maxBodyBytes": 3 } }"#)
            .replacing("json", with: MadeUnwrapping { body, _ in (ResponseBody(Array(body.data)), "text/words") })
        let (wrapped, _) = try stubManager(registry) { _ in .json("123456789") }
        #expect(try await wrapped.send(request, as: [String].self).value == ["123456789"])
        request.maximumBodyBytes = nil
        let refused = await #expect(throws: SessionError.self) { try await wrapped.send(request, as: [String].self) }
        #expect(refused?.code == .bodyTooLarge)
    }

    @Test("a higher limit reaches a serializer that the request names")
    func ownLimitOfOthers() async throws {
        let registry = try TestRegistry.make(policy: #"{ "limits": { "maxBodyBytes": 3 } }"#)
        let (manager, _) = try stubManager(registry) { _ in .words("123456789") }
        var request = SessionRequest("a")
        request.using = .serializer(MadeSerializer { body, _ in body.count })
        let error = await #expect(throws: SessionError.self) { try await manager.send(request, as: Int.self) }
        #expect(error?.code == .bodyTooLarge)
        request.maximumBodyBytes = 9
        #expect(try await manager.send(request, as: Int.self).value == 9)
    }
}
