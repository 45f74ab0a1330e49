public import PatchbayManager

extension SessionTask {
    /// Starts the call, or lets a suspended one go on; without effect in any other state.
    public func resume() { begin() }

    /// Holds the call until it is resumed; without effect where it has ended.
    ///
    /// One that was not started does not start. One that is under way waits before its next step: before it follows a redirect,
    /// and before its value is made. Bytes that are on their way still arrive, and its clocks go on, unless its request says
    /// `isPausable`: then no byte moves in either direction and the idle clock stands still. The total clock always goes on, and
    /// a server that waits too long may give up.
    public func suspend() { hold() }

    /// The upload's progress now and after each change, until the call ends; a reader that is slow misses what is in between.
    public var uploadProgressUpdates: AsyncStream<TransferProgress> { uploadUpdates }

    /// The download's progress now and after each change, until the call ends; a reader that is slow misses what is in between.
    public var downloadProgressUpdates: AsyncStream<TransferProgress> { downloadUpdates }
}
