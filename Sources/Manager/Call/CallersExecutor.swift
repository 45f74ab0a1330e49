/// Does the work on the concurrent executor, and comes back to the caller's actor whatever became of it.
///
/// Every function of ours that is `nonisolated(nonsending)` and needs the concurrent executor gets there through this, never by
/// a call of a `@concurrent` function. In Swift 6.3.1 a `nonisolated(nonsending)` function that lets an error of a `@concurrent`
/// one pass through does not go back to its caller's executor first, in debug and in release: the caller's `catch` would run
/// beside its own actor. What cures it is to catch the error in the very function that awaits, as here; to catch it further out
/// comes too late. `Tests/CallerIsolation` holds every public function to it.
nonisolated(nonsending) func concurrently<Value: Sendable, Failure>(
    _ work: @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure>
    do throws(Failure) { result = .success(try await work()) } catch { result = .failure(error) }
    return try result.get()
}
