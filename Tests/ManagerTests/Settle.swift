/// Gives whatever is ready to run the time to run, for a test that nothing happens.
func settle() async {
    for _ in 0..<200 { await Task.yield() }
}

private struct NeverSo: Error {}

/// Waits until it is so. What is not so after two minutes never will be: then the test fails, and does not hang.
func until(_ isSo: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while !isSo() {
        guard .now < end else { throw NeverSo() }
        // A loop without a pause would take the processor from the others.
        try? await Task.sleep(for: .milliseconds(1))
    }
}
