import PatchbayManager
import PatchbayRegistry
import PatchbayTesting
import Testing

/// A call carries its value as one of no particular type, and gives it back as the type that was asked for.
@Suite(.timeLimit(.minutes(5))) struct TypedValueTests {
    private func value<Value: Sendable>(_ type: Value.Type, of body: String) async throws -> Value {
        let (manager, _) = try stubManager { _ in .json(body) }
        return try await manager.get("a", as: type)
    }

    @Test("an optional keeps its levels, nil and all")
    func optionals() async throws {
        #expect(try await value(Int?.self, of: "1") == .some(1))
        #expect(try await value(Int?.self, of: "null") == .some(nil))
        #expect(try await value(Int?.self, of: "") == .some(nil))
        #expect(try await value(Int??.self, of: "1") == .some(.some(1)))
        #expect(try await value(Int??.self, of: "null") == Int??.none)
        #expect(try await value([Int?].self, of: "[1, null]") == [1, nil])
    }
}
