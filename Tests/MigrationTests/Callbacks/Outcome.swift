import Patchbay

/// What one callback said.
enum Outcome: Sendable {
    case success(any Sendable)
    case failure(SessionError)

    var error: SessionError? { if case .failure(let error) = self { error } else { nil } }
    var value: (any Sendable)? { if case .success(let value) = self { value } else { nil } }
}

/// Starts a call and waits for its callback.
func outcome(
    _ start: (
        _ success: @escaping @Sendable (any Sendable) -> Void, _ failure: @escaping @Sendable (SessionError) -> Void
    ) -> Void
) async -> Outcome {
    await withCheckedContinuation { continuation in
        start {
            continuation.resume(returning: .success($0))
        } _: {
            continuation.resume(returning: .failure($0))
        }
    }
}
