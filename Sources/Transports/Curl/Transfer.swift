import CPatchbayCurl
import PatchbayCodings
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// One exchange: its request, its receiver, its caller, and libcurl's callbacks.
///
/// `@unchecked Sendable`: two threads at once could corrupt the state of a transfer. But a transfer has one owner at a
/// time: first the code that makes it, until it is in the loop's queue; then the loop, which uses it only in turns; and
/// after its last turn the thread of that turn, which only resumes the continuation. The lock of the queue and the lock
/// of the turn publish each owner's writes.
final class Transfer: CallbackContext, @unchecked Sendable {
    typealias Outcome = Result<ExchangeTimings, TransportFailure>

    /// The unique number of the exchange.
    let number: Int
    let request: WireRequest
    let receiver: any ExchangeReceiver
    /// The loop releases the transfer at the end of the exchange, so that the loop and the transfer don't keep each
    /// other alive.
    let loop: EventLoop
    /// Resumed exactly one time: when the exchange leaves the loop's list of transfers, or if the exchange never gets
    /// into that list.
    private var continuation: UnsafeContinuation<Outcome, Never>?
    /// Ends the exchange when the receiver's signal fires; nil before the exchange begins.
    @exclusivity(unchecked) var stopListener: OneShot.Listener?
    /// The handle, while libcurl has the exchange; otherwise nil.
    var handle: EasyHandle?
    /// The connections of the host, whose multi handle has the handle, and the place of the exchange in the
    /// `ConnectionQueue`, which changes both.
    var connections: HostConnections?
    var place = ConnectionQueue.Place.outside
    var times = Times()
    /// What libcurl had done for the exchange when it last asked about a connection: the bytes of request heads that it had
    /// sent, and the connections that it had made, 0 if that connection is a kept one. Nil before it asks.
    var attempt: (sent: Int, made: Int)?
    /// How the request was sent once more; nil if it was sent at most once.
    @exclusivity(unchecked) var repetition: Repetition?
    /// The reason that this code ended libcurl's transfer, of which libcurl knows only a failed callback.
    var verdict: Verdict?

    @exclusivity(unchecked) var directions = Directions()
    var bytesRead = 0
    var bytesSent = 0

    /// Without the exclusivity check at run time, which costs a tenth of reading a line (callgrind). An overlapping
    /// access would need a second thread, which can't be in a turn too, or a call from the reader back into the
    /// transfer, which the reader never makes.
    @exclusivity(unchecked) var reader: ResponseHeadReader
    var response = Response.none
    /// The end of the response body, where libcurl alone does not tell whether the body is whole.
    var ending = Ending.known
    /// The decoder of the response body; nil before the first byte of the body, and without a content coding.
    var decoder: ContentDecoder?
    /// The received bytes of the coded body.
    var bytesReceived = 0
    var tlsVersion: String?

    init(_ request: consuming WireRequest, for receiver: any ExchangeReceiver, number: Int, on loop: EventLoop) {
        (self.receiver, self.number, self.loop) = (receiver, number, loop)
        reader = ResponseHeadReader(method: request.method)
        self.request = request
    }

    /// Starts the exchange, whose end resumes the continuation.
    func start(_ continuation: UnsafeContinuation<Outcome, Never>) {
        self.continuation = continuation
        loop.start(self)
    }

    /// Resumes the caller with the result. Called once, and not in a turn.
    func end(_ outcome: Outcome) { continuation.take()?.resume(returning: outcome) }

    /// Called after the handle was closed or reset.
    func letGo() {
        handle = nil
        directions.end()
    }

    /// Tells the receiver that the exchange waits for a connection, and the limit that is the reason.
    func wait(because reason: String) {
        times.queue = .waiting
        (receiver as? any TimedReceiver)?.waitForConnection(because: reason)
    }

    /// Tells the receiver that the wait for a connection has ended, if there was one.
    func endWait() {
        guard case .waiting = times.queue else { return }
        times.queue = .left(after: times.elapsed)
        (receiver as? any TimedReceiver)?.endWaitForConnection()
    }

    var isConnected: Bool { if case .connected = place { true } else { false } }

    var sharesConnections: Bool { request.sharesConnections && !isAlone }

    /// Whether libcurl has given the exchange a connection, or makes one for it.
    var mayHaveConnection: Bool {
        if case .trying = place { return attempt != nil }
        return attempt != nil || hasTriedAddress
    }

    /// Whether libcurl has opened a socket for a connection.
    var hasTriedAddress: Bool { handle.map { $0.facts.pointee.sockets > 0 } ?? false }
}

extension Transfer {
    /// The head of the final response.
    enum Response {
        case none
        /// The head was read, and the receiver has not taken it.
        case offered(ResponseHeadReader.Head)
        case begun(ResponseHeadReader.Head)
    }

    /// The reason that this code ended libcurl's transfer.
    enum Verdict {
        case failed(TransportFailure)
        /// The host has sent bytes on the connection that no request asked for, and they would be read as the response.
        /// libcurl 7.88.1 takes such a connection.
        case unaskedBytes
        /// The request was sent on another connection and got no response, and must not be sent on this one.
        case repetition(Fate)
    }

    var head: ResponseHeadReader.Head? {
        switch response {
        case .none: nil
        case .offered(let head), .begun(let head): head
        }
    }

    /// Whether the receiver has taken the head.
    var hasHead: Bool { if case .begun = response { true } else { false } }

    // MARK: The end

    /// The result of the exchange: the failure that this code detected, or else the meaning of libcurl's code.
    func result(_ code: patchbay_curl_code) -> Outcome {
        if case .failed(let failure) = verdict { return .failure(failure) }
        guard let handle else { return .failure(.noHandle) }
        let (isEndMissing, isBodyLost) = (lacksTLSEnd(code), isLossOfBodyAlone(code))
        if isEndMissing, request.connection.tls?.acceptsMissingCloseNotify != true {
            return .failure(.missingCloseNotify)
        }
        guard code == PATCHBAY_CURLE_OK || isEndMissing || isBodyLost else {
            return .failure(TransportFailure(code, handle, request, responseBegan: reader.hasBegun))
        }
        guard hasHead else {
            return .failure(TransportFailure(.malformedResponse, "the response ended inside its head"))
        }
        guard decoder?.isComplete != false else {
            return .failure(TransportFailure(.undecodableContent, "the coded body ended before its coding did"))
        }
        if request.body != nil, let total = handle.number(PATCHBAY_CURLINFO_SIZE_UPLOAD_T) {
            noteSent(total)
        }
        let trailers = reader.trailers
        if !trailers.isEmpty { receiver.receive(trailers: trailers) }
        var timings = timings(handle)
        timings.leftBody = isBodyLost || request.body != nil && times.bodySent == nil
        return .success(timings)
    }

    /// The failure with the steps that the exchange reached before it.
    func failure(_ failure: TransportFailure) -> TransportFailure {
        var failure = failure
        // libcurl does not pass on an answer in HTTP/1.1. Over https, the host chose HTTP/2.
        if failure.code == .lostConnection, request.connection.http == .http2, !request.url.isSecure,
            connections?.hasHTTP2 == false
        {
            let doubt = "perhaps the host does not speak HTTP/2, which ConnectionSettings.http asks for"
            failure = TransportFailure(failure.code, "\(failure.reason); \(doubt)")
        }
        failure.timings = timings(handle)
        return failure
    }
}
