public import PatchbayManager

extension SessionTask {
    /// Starts the call, or continues a suspended one; without effect in any other state.
    public func resume() { begin() }

    /// Suspends the call until it is resumed; without effect if it has ended.
    ///
    /// A call that was not started does not start. A running call waits before its next step: before it follows a
    /// redirect, and before its value is made. Bytes in transit still arrive, and the clocks of the call go on, unless
    /// `isPausable` of its request is true: then no byte moves in either direction and the idle clock stops. The total
    /// clock always goes on, and a server that waits too long can give up.
    public func suspend() { hold() }

    /// The upload's progress now and after each change, until the call ends. A slow reader misses intermediate values.
    public var uploadProgressUpdates: AsyncStream<TransferProgress> { uploadUpdates }

    /// The download's progress now and after each change, until the call ends. A slow reader misses intermediate
    /// values.
    public var downloadProgressUpdates: AsyncStream<TransferProgress> { downloadUpdates }
}
