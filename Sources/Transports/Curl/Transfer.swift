import CPatchbayCurl
import PatchbayCodings
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// One exchange: what to send, who receives, whom to tell of the end, and what libcurl calls while it runs.
///
/// `@unchecked Sendable`: two threads at once could tear its state apart. But it has one owner at a time: who makes it, up to the
/// moment when it is put into the loop's queue; then the loop, which touches it in turns only; and from the turn that ends it the
/// thread of that turn, which does no more than resume the continuation. The queue's lock and the turn's hand each one's writes on.
final class Transfer: @unchecked Sendable {
    /// Of this exchange alone.
    let number: Int
    let request: WireRequest
    let receiver: any ExchangeReceiver
    /// The loop lets go of the transfer when the exchange is over, so that neither keeps the other for longer.
    let loop: EventLoop
    /// Resumed once: when the exchange leaves the loop's list of transfers, or where it never comes on it.
    private let continuation: UnsafeContinuation<Result<ExchangeTimings, TransportFailure>, Never>
    /// What came of it, once it is over.
    var outcome: Result<ExchangeTimings, TransportFailure> = .failure(.cannotGoOn)
    /// What carries it, from its start to its end.
    private(set) var handle: EasyHandle?
    /// The field lines that libcurl reads while the transfer runs.
    private(set) var fieldList: UnsafeMutableRawPointer?
    /// The address to connect to, in a list that libcurl reads; nil for the host of the URL.
    private var addressList: UnsafeMutableRawPointer?

    /// The check at run time that no two accesses overlap costs a tenth of what reading a line does (callgrind), and is left out. An
    /// overlap would need a second thread, which has no turn, or the reader calling back into the transfer, and it calls nobody.
    @exclusivity(unchecked) var reader: ResponseHeadReader
    var head: ResponseHeadReader.Head?
    var hasHead = false
    var hasBody = false
    /// What undoes the codings of the body; nil before its first byte, and where there are none to undo.
    var decoder: ContentDecoder?
    /// What ended the transfer from our side, which libcurl only knows as a callback that failed.
    var failure: TransportFailure?
    /// The fields behind the request body, once it has ended.
    var trailers: HeaderFields = [:]
    /// Of the response's body, as it is coded.
    var bytesReceived = 0
    var bytesRead = 0
    /// Bytes of the request's body that were read and not given to libcurl.
    var held: [UInt8] = []
    var bytesSent = 0
    /// Ends the exchange when the receiver's signal fires; nil where it has not begun.
    var stopListener: OneShot.Listener?
    /// What a paused body, and a piece that was not taken, wait for; nil where they do not.
    var sourceListener: OneShot.Listener?
    var receiverListener: OneShot.Listener?
    /// Whether nothing more comes from the body, because the response says that it is not wanted.
    var isBodyEnded = false
    /// The connection, while libcurl waits for anything on it.
    var socket: Int32?
    /// The connection, where libcurl waits for nothing on it, and was asked to look at it since.
    var releasedSocket: Int32?
    /// The connection from which libcurl reads no more: its end has come, or that of the response.
    var readSocket: Int32?
    /// Where the end of a chunked response is, in its bytes as they are on the wire; nil where libcurl can be asked.
    var chunkedEnd: ChunkedEnd?
    /// How long the body may have nothing to send behind a whole response; nil where it was not asked then.
    var patience: Patience?
    /// Whether the rest of the body is not sent, because the response is whole.
    var leavesBody = false

    init(
        _ request: WireRequest, for receiver: any ExchangeReceiver, number: Int, on loop: EventLoop,
        _ continuation: UnsafeContinuation<Result<ExchangeTimings, TransportFailure>, Never>
    ) {
        (self.request, self.receiver, self.number) = (request, receiver, number)
        (self.loop, self.continuation) = (loop, continuation)
        reader = ResponseHeadReader(method: request.method)
    }

    /// Which connections it may have, and how far it is from one; the loop's queue of those that wait sees to both.
    var connections: HostConnections?
    var place = ConnectionQueue.Place.outside
    private var isWaiting = false

    func take(_ handle: EasyHandle) { self.handle = handle }

    /// Copies the field lines for libcurl; false where there is no memory.
    func copy(_ lines: FieldLines) -> Bool {
        fieldList = lines.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.flatMap { patchbay_curl_list_open($0, bytes.count, lines.count) }
        }
        return fieldList != nil
    }

    /// Has the handle connect to an address, `host`, `host:port` or `[IPv6]:port`; false where there is no memory.
    func connect(to address: String, _ handle: EasyHandle) -> Bool {
        let hasPort = address.utf8.last != UInt8(ascii: "]") && address.utf8.contains(UInt8(ascii: ":"))
        // Of any host and any port, to this one; without a port, to that of the URL.
        let line = "::\(address)\(hasPort ? "" : ":")"
        addressList = line.withCString { patchbay_curl_list_open($0, line.utf8.count + 1, 1) }
        guard let addressList else { return false }
        return patchbay_curl_set_connect_to(handle.pointer, addressList) == 0
    }

    /// Frees what only libcurl needed, after the handle is closed or reset, and waits for nothing any more.
    func close() {
        endWait(&stopListener)
        endWait(&sourceListener)
        endWait(&receiverListener)
        letGo()
    }

    /// Frees what only libcurl needed, after the handle is closed or reset.
    func letGo() {
        handle = nil
        patchbay_curl_list_close(fieldList)
        patchbay_curl_list_close(addressList)
        (fieldList, addressList) = (nil, nil)
    }

    /// Tells the receiver that the exchange has no connection yet, and which limit keeps it from one.
    func wait(because reason: String) {
        isWaiting = true
        (receiver as? any ConnectionWaiting)?.waitForConnection(because: reason)
    }

    /// Tells the receiver that the wait is over, if there was one.
    func endWait() {
        guard isWaiting else { return }
        isWaiting = false
        (receiver as? any ConnectionWaiting)?.endWaitForConnection()
    }

    /// Tells whoever waits for it what came of it; once, and not in a turn.
    func end() { continuation.resume(returning: outcome) }

    // MARK: The end

    /// How the exchange ended: with our reason, where it was ours, else with what libcurl's code means.
    func result(_ code: patchbay_curl_code) -> Result<ExchangeTimings, TransportFailure> {
        if let failure { return .failure(failure) }
        guard let handle else { return .failure(.noHandle) }
        if isLossOfBodyAlone(code) { leavesBody = true }
        guard code == PATCHBAY_CURLE_OK || leavesBody else {
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
        var timings = Self.timings(handle)
        timings.leftBody = leavesBody
        return .success(timings)
    }

    /// When the steps of the exchange were over, as far as libcurl says.
    private static func timings(_ handle: EasyHandle) -> ExchangeTimings {
        var timings = ExchangeTimings()
        let isReused = handle.number(PATCHBAY_CURLINFO_NUM_CONNECTS) == 0
        if !isReused {
            timings.nameLookup = handle.duration(PATCHBAY_CURLINFO_NAMELOOKUP_TIME_T)
            timings.connect = handle.duration(PATCHBAY_CURLINFO_CONNECT_TIME_T)
            timings.secureConnect = handle.duration(PATCHBAY_CURLINFO_APPCONNECT_TIME_T)
        }
        timings.firstByte = handle.duration(PATCHBAY_CURLINFO_STARTTRANSFER_TIME_T)
        timings.total = handle.duration(PATCHBAY_CURLINFO_TOTAL_TIME_T) ?? .zero
        timings.reusedConnection = isReused
        timings.httpVersion = version(handle)
        return timings
    }

    private static func version(_ handle: EasyHandle) -> String? {
        switch handle.number(PATCHBAY_CURLINFO_HTTP_VERSION) {
        case Int(PATCHBAY_CURL_HTTP_VERSION_1_0): "1.0"
        case Int(PATCHBAY_CURL_HTTP_VERSION_1_1): "1.1"
        case Int(PATCHBAY_CURL_HTTP_VERSION_2_0): "2"
        case Int(PATCHBAY_CURL_HTTP_VERSION_3): "3"
        default: nil
        }
    }
}
