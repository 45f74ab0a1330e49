/// Comes back once the condition holds; the time limit of the test ends a wait for one that never does.
func until(_ condition: @Sendable () -> Bool) async {
    // A loop without a pause would take the processor from the others.
    while !condition(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}
