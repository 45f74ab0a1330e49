/// Gives whatever is ready to run the time to run, for a test that nothing happens.
func settle() async {
    for _ in 0..<200 { await Task.yield() }
}
