public import PatchbayRegistry

/// Takes what a transport receives, as it comes, on a thread of the transport's choice: every call must return quickly.
/// The current Swift task there may be that of another call.
public protocol ExchangeReceiver: AnyObject, Sendable {
    /// Fires when the exchange should end early: cancelled, out of time.
    var stop: StopSignal { get }

    /// The head of the final response (not of an interim one).
    func receive(status: Int, fields: HeaderFields) -> TransportFlow

    /// The next bytes of the decoded body; valid during the call only.
    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow

    /// The fields behind the body, once all of it has come (RFC 9110, section 6.5): not called where there are none. Those of a transport
    /// that knows of none never come.
    func receive(trailers: HeaderFields)

    /// So many more bytes of the request body were handed to the network.
    func sent(_ bytes: Int)
}

extension ExchangeReceiver {
    public func receive(trailers: HeaderFields) {}
}

/// What a receiver asks of the transport after each piece.
public enum TransportFlow: Sendable {
    /// Go on.
    case proceed
    /// This piece was not taken: offer it again once the signal has fired. (Back pressure.)
    case wait(StopSignal)
    /// End the exchange with `TransportFailure.Code.stopped`; this piece was not wanted.
    case stop
}
