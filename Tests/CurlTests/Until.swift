/// Comes back once the condition holds; the time limit of the test ends a wait for one that never does.
func until(_ condition: @Sendable () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
}
