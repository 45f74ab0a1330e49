/// So many requests at once: each of as many tasks makes its share of them, one after another.
public struct Flight {
    private let flying: Int

    public init(_ flying: Int) { self.flying = flying }

    public func run(_ times: Int, _ request: @escaping @Sendable () async throws -> Void) async throws {
        guard flying > 1 else {
            for _ in 0..<times { try await request() }
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<flying {
                let share = times / flying + (index < times % flying ? 1 : 0)
                group.addTask { for _ in 0..<share { try await request() } }
            }
            try await group.waitForAll()
        }
    }
}
