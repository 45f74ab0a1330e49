public import PatchbayManager

extension SessionTask {
    /// Starts the call, or continues a suspended call; without effect in any other state.
    public func resume() { begin() }

    /// Suspends the call until it is resumed; without effect if it has ended.
    ///
    /// A call that was not started does not start. A running call waits before its next step: before it follows a
    /// redirect, and before its value is made. Bytes in transit still arrive, and the timeouts of the call continue,
    /// unless `isPausable` of its request is true: in this case no byte of a body is sent or received, and the idle
    /// timeout stops. The head of a request that waits for a connection is still sent. The total timeout always
    /// continues, and a server that waits too long can close the connection.
    public func suspend() { hold() }

    /// The upload's progress now and after each change, until the call ends. A slow reader misses intermediate values.
    public var uploadProgressUpdates: AsyncStream<TransferProgress> { uploadUpdates }

    /// The download's progress now and after each change, until the call ends. A slow reader misses intermediate
    /// values.
    public var downloadProgressUpdates: AsyncStream<TransferProgress> { downloadUpdates }
}
