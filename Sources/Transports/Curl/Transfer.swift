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
final class Transfer: @unchecked Sendable {
    /// The unique number of the exchange.
    let number: Int
    let request: WireRequest
    let receiver: any ExchangeReceiver
    /// The loop releases the transfer at the end of the exchange, so that the loop and the transfer don't keep each
    /// other alive.
    let loop: EventLoop
    /// Resumed exactly one time: when the exchange leaves the loop's list of transfers, or if the exchange never gets
    /// into that list.
    private var continuation: UnsafeContinuation<Result<ExchangeTimings, TransportFailure>, Never>?
    /// The result of the exchange, set when it has ended.
    var outcome: Result<ExchangeTimings, TransportFailure> = .failure(.cannotGoOn)
    /// The handle, and the multi handle that has it, while libcurl has the exchange; otherwise nil.
    private(set) var handle: EasyHandle?
    private(set) var multi: MultiHandle?
    /// The field lines that libcurl reads during the transfer.
    private(set) var fieldList: UnsafeMutableRawPointer?
    /// The address to connect to, in a list that libcurl reads; nil for the host of the URL.
    private var addressList: UnsafeMutableRawPointer?

    /// The files of the TLS settings; libcurl reads the authorities during the transfer. Nil if the settings need none.
    var files: TLSFiles.Content?

    /// Without the exclusivity check at run time, which costs a tenth of reading a line (callgrind). An overlapping
    /// access would need a second thread, which can't be in a turn too, or a call from the reader back into the
    /// transfer, which the reader never makes.
    @exclusivity(unchecked) var reader: ResponseHeadReader
    var head: ResponseHeadReader.Head?
    var hasHead = false
    var hasBody = false
    /// The decoder of the response body; nil before the first byte of the body, and without a content coding.
    var decoder: ContentDecoder?
    /// The start of the exchange. libcurl counts its times from the time at which it gets the transfer.
    private let start = Moment.now
    /// The time at which the wait for a connection ended; nil if there was no wait.
    private(set) var queued: Duration?
    /// The time at which libcurl got the transfer; nil if that was at once.
    private var carried: Duration?
    /// The time at which the last byte of the request body was sent.
    private var bodySent: Duration?
    /// The time of the first byte of the response to a request with a body. For such a request, libcurl gives the time
    /// of the first byte that it sends instead.
    private var firstByte: Duration?
    var tlsVersion: String?
    /// The end of TLS, if the body of the response ends with the connection; otherwise nil.
    var tlsEnd: TLSEnd?
    /// Whether libcurl has waited to read from the connection.
    var hasWaitedToRead = false
    /// Whether libcurl has reported the connection of the exchange.
    var isConnected = false
    /// The turn in which the request was sent: the last byte of its body, if the whole body was sent.
    var written = 0
    /// The reason that the exchange refused the connection that libcurl had for it; nil if it refused none.
    var refusal: Refusal?
    /// What libcurl had done for the exchange when it last asked about a connection; nil before that.
    var attempt: Attempt?
    /// Whether libcurl sends the request again only after the host has refused it, or wants it over HTTP/1.1.
    var repeatsOnlyRefusals = false
    /// How often the request was sent, and over which connection.
    @exclusivity(unchecked) var sending = Sending.first
    /// The failure that this code detected; libcurl knows it only as a failed callback.
    var failure: TransportFailure?
    /// The trailer fields of the request, set at the end of its body.
    var trailers: HeaderFields = [:]
    /// The received bytes of the coded body.
    var bytesReceived = 0
    var bytesRead = 0
    /// Bytes of the request body that were read and not given to libcurl.
    var held: [UInt8] = []
    var bytesSent = 0
    /// Ends the exchange when the receiver's signal fires; nil before the exchange begins.
    @exclusivity(unchecked) var stopListener: OneShot.Listener?
    /// The listener for the signal that resumes a paused request body, and the listener for the signal after which the
    /// receiver gets its refused piece again.
    @exclusivity(unchecked) var sourceListener: OneShot.Listener?
    @exclusivity(unchecked) var receiverListener: OneShot.Listener?
    /// Whether the end of a request body of unknown length was read.
    var hasReadBody = false
    /// Whether the request body ends early, because the response shows that the body is not wanted.
    var isBodyEnded = false
    /// The socket of the connection, while libcurl waits for it.
    var socket: Int32?
    /// The socket of the connection, if libcurl doesn't watch it and the loop makes libcurl check it in the next turn.
    var releasedSocket: Int32?
    /// The socket of the connection, if libcurl reads no more from it: the connection or the response has ended.
    var readSocket: Int32?
    /// Finds the end of a chunked response in its bytes on the wire; nil if libcurl itself reports a cut body.
    var chunkedEnd: ChunkedEnd?
    /// Limits the time of a request body that has nothing to send after a complete response; nil in any other state.
    var patience: Patience?
    /// Whether the remaining bytes of the request body are not sent, because the response is complete.
    var leavesBody = false

    init(_ request: consuming WireRequest, for receiver: any ExchangeReceiver, number: Int, on loop: EventLoop) {
        (self.receiver, self.number, self.loop) = (receiver, number, loop)
        reader = ResponseHeadReader(method: request.method)
        self.request = request
    }

    /// Starts the exchange, whose end resumes the continuation.
    func start(_ continuation: UnsafeContinuation<Result<ExchangeTimings, TransportFailure>, Never>) {
        self.continuation = continuation
        loop.start(self)
    }

    /// The connections of the host, and the place of the exchange in the `ConnectionQueue`, which changes both.
    var connections: HostConnections?
    var place = ConnectionQueue.Place.outside
    var sharesConnections: Bool { request.sharesConnections && !isAlone }
    private var isWaiting = false
    /// Whether libcurl had the exchange before.
    private var isAgain = false

    func take(_ handle: EasyHandle, on multi: MultiHandle) {
        (self.handle, self.multi) = (handle, multi)
        attempt = nil
        if isWaiting || queued != nil || isAgain { carried = start.duration(to: .now) }
        isAgain = true
    }

    /// Copies the field lines for libcurl. Returns false if there is no memory.
    func copy(_ lines: FieldLines) -> Bool {
        fieldList = lines.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.flatMap { patchbay_curl_list_open($0, bytes.count, lines.count) }
        }
        return fieldList != nil
    }

    /// Makes the handle connect to an address, `host`, `host:port` or `[IPv6]:port`. Returns false if there is no
    /// memory.
    func connect(to address: String, _ handle: EasyHandle) -> Bool {
        let hasPort = address.utf8.last != UInt8(ascii: "]") && address.utf8.contains(UInt8(ascii: ":"))
        // The line maps every host and port to this address. If the address has no port, the port of the URL stays.
        let line = "::\(address)\(hasPort ? "" : ":")"
        addressList = line.withCString { patchbay_curl_list_open($0, line.utf8.count + 1, 1) }
        guard let addressList else { return false }
        return patchbay_curl_set_connect_to(handle.pointer, addressList) == 0
    }

    /// Frees the data for libcurl, after the handle was closed or reset, and ends all waits.
    func close() {
        endWait(&stopListener)
        endWait(&sourceListener)
        endWait(&receiverListener)
        letGo()
    }

    /// Frees the data for libcurl, after the handle was closed or reset.
    func letGo() {
        (handle, multi) = (nil, nil)
        patchbay_curl_list_close(fieldList)
        patchbay_curl_list_close(addressList)
        (fieldList, addressList) = (nil, nil)
    }

    /// Tells the receiver that the exchange waits for a connection, and the limit that is the reason.
    func wait(because reason: String) {
        isWaiting = true
        (receiver as? any TimedReceiver)?.waitForConnection(because: reason)
    }

    /// Tells the receiver that the wait for a connection has ended, if there was one.
    func endWait() {
        guard isWaiting else { return }
        isWaiting = false
        queued = start.duration(to: .now)
        (receiver as? any TimedReceiver)?.endWaitForConnection()
    }

    /// Whether the receiver stopped the exchange because a timeout has passed.
    var isOutOfTime: Bool { (receiver as? any TimedReceiver)?.isOutOfTime == true }

    /// Whether libcurl has given the exchange a connection, or makes one for it.
    var mayHaveConnection: Bool {
        if case .trying = place { return attempt != nil }
        return attempt != nil || handle.map { $0.openedSockets > 0 } ?? false
    }

    /// Resumes the caller with the result. Called once, and not in a turn.
    func end() { continuation.take()?.resume(returning: outcome) }

    // MARK: The end

    /// The result of the exchange: the failure that this code detected, or else the meaning of libcurl's code.
    func result(_ code: patchbay_curl_code) -> Result<ExchangeTimings, TransportFailure> {
        if let failure { return .failure(failure) }
        guard let handle else { return .failure(.noHandle) }
        if isLossOfBodyAlone(code) { leavesBody = true }
        let isEndMissing = lacksTLSEnd(code)
        if isEndMissing, request.connection.tls?.acceptsMissingCloseNotify != true {
            return .failure(.missingCloseNotify)
        }
        guard code == PATCHBAY_CURLE_OK || leavesBody || isEndMissing else {
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
        var timings = steps(handle)
        // The clock of the times that are not libcurl's.
        timings.total =
            request.body != nil || carried != nil
            ? start.duration(to: .now) : handle.duration(PATCHBAY_CURLINFO_TOTAL_TIME_T) ?? .zero
        timings.leftBody = leavesBody
        return .success(timings)
    }

    /// The failure with the steps that the exchange reached before it.
    func failure(_ failure: TransportFailure) -> TransportFailure {
        var timings = handle.map { steps($0) } ?? ExchangeTimings()
        timings.total = start.duration(to: .now)
        var failure = failure
        failure.timings = timings
        return failure
    }

    /// Called when the last byte of the request body was sent.
    func noteBodySent() {
        guard bodySent == nil else { return }
        (bodySent, written) = (start.duration(to: .now), loop.turns)
    }

    /// Called when the first byte of the response has arrived.
    func noteFirstByte() { firstByte = firstByte ?? start.duration(to: .now) }

    /// The times of the steps before the end, as far as libcurl knows them, and the facts about the connection.
    private func steps(_ handle: EasyHandle) -> ExchangeTimings {
        var timings = ExchangeTimings()
        let address = handle.remoteAddress
        // Without a connection, libcurl 8.23 gives the time of the failure.
        let headSent = address == nil ? nil : time(handle, PATCHBAY_CURLINFO_PRETRANSFER_TIME_T)
        // libcurl also reports 0 connections for a transfer that failed before it had a connection.
        let isReused = headSent != nil && handle.number(PATCHBAY_CURLINFO_NUM_CONNECTS) == 0
        if !isReused {
            timings.nameLookup = time(handle, PATCHBAY_CURLINFO_NAMELOOKUP_TIME_T)
            timings.connect = time(handle, PATCHBAY_CURLINFO_CONNECT_TIME_T)
            timings.secureConnect = time(handle, PATCHBAY_CURLINFO_APPCONNECT_TIME_T)
        }
        timings.requestSent = request.bodyLength ?? (request.body == nil ? 0 : 1) == 0 ? headSent : bodySent
        timings.queue = queued.map { min($0, timings.requestSent ?? $0) }
        timings.firstByte = request.body == nil ? time(handle, PATCHBAY_CURLINFO_STARTTRANSFER_TIME_T) : firstByte
        timings.reusedConnection = isReused
        timings.httpVersion =
            switch handle.number(PATCHBAY_CURLINFO_HTTP_VERSION) {
            case Int(PATCHBAY_CURL_HTTP_VERSION_1_0): "1.0"
            case Int(PATCHBAY_CURL_HTTP_VERSION_1_1): "1.1"
            case Int(PATCHBAY_CURL_HTTP_VERSION_2_0): "2"
            case Int(PATCHBAY_CURL_HTTP_VERSION_3): "3"
            default: nil
            }
        // libcurl 8.23 tells no address before the end of the handshake, but waits for the host's answer.
        let isConnected = address != nil || timings.connect != nil || hasWaitedToRead
        if request.url.isSecure, headSent == nil, isConnected {
            timings.openStep = TransportFailure.isServedByProxy(handle, request) ? .tunnel : .handshake
        }
        if let address {
            let port = handle.number(PATCHBAY_CURLINFO_PRIMARY_PORT)
            timings.setConnection(address: address, port: port, tlsVersion: tlsVersion)
        }
        return timings
    }

    /// A time that libcurl measured, counted from the start of the exchange; nil if the step did not happen.
    private func time(_ handle: EasyHandle, _ info: patchbay_curl_info) -> Duration? {
        guard let time = handle.duration(info) else { return nil }
        return carried.map { $0 + time } ?? time
    }
}
