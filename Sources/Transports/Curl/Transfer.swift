import CPatchbayCurl
import PatchbayCodings
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// One exchange: what to send, who receives, whom to tell of the end, and what libcurl calls while it runs.
///
/// `@unchecked Sendable`: whoever makes it hands it to the event loop and touches it no more. From then on it is touched in turns, and
/// after the one that has ended it by the thread of that turn alone, which gives the result away.
final class Transfer: @unchecked Sendable {
    /// Of this exchange alone.
    let number: Int
    let request: WireRequest
    let receiver: any ExchangeReceiver
    /// The loop lets go of the transfer when the exchange is over, so that neither keeps the other for longer.
    private let loop: EventLoop
    /// Resumed once: when the exchange leaves the loop's list of transfers, or where it never comes on it.
    private let continuation: UnsafeContinuation<Result<ExchangeTimings, TransportFailure>, Never>
    /// What came of it, once it is over.
    var outcome: Result<ExchangeTimings, TransportFailure> = .failure(.cannotGoOn)
    /// What carries it, from its start to its end.
    private(set) var handle: EasyHandle?
    /// The field lines that libcurl reads while the transfer runs.
    private(set) var fieldList: UnsafeMutableRawPointer?

    /// Unchecked, because to check that nobody else touches it costs a tenth of what a line does; that it is touched in turns is why.
    @exclusivity(unchecked) private var reader: ResponseHeadReader
    private var head: ResponseHeadReader.Head?
    /// Whether the receiver has taken the head.
    private var hasHead = false
    private var hasBody = false
    /// What undoes the codings of the body; nil before its first byte, and where there are none to undo.
    private var decoder: ContentDecoder?
    /// What ended the transfer from our side, which libcurl only knows as a callback that failed.
    private var failure: TransportFailure?
    /// Of the response's body, as it is coded.
    private var bytesReceived = 0
    private var bytesRead = 0
    private var bytesSent = 0
    /// What a paused body, and a piece that was not taken, wait for; nil where they do not.
    private var sourceSignal: StopSignal?
    private var receiverSignal: StopSignal?
    /// Whether nothing more comes from the body, because the response says that it is not wanted.
    private var isBodyEnded = false
    /// The connection, where libcurl waits for nothing on it, and was asked to look at it since.
    private var releasedSocket: Int32?

    init(
        _ request: WireRequest, for receiver: any ExchangeReceiver, number: Int, on loop: EventLoop,
        _ continuation: UnsafeContinuation<Result<ExchangeTimings, TransportFailure>, Never>
    ) {
        (self.request, self.receiver, self.number) = (request, receiver, number)
        (self.loop, self.continuation) = (loop, continuation)
        reader = ResponseHeadReader(method: request.method)
    }

    /// Has a handle carry it.
    func take(_ handle: EasyHandle) { self.handle = handle }

    /// Copies the field lines for libcurl; false where there is no memory.
    func copy(_ lines: FieldLines) -> Bool {
        fieldList = lines.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.flatMap { patchbay_curl_list_open($0, bytes.count, lines.count) }
        }
        return fieldList != nil
    }

    /// Frees what only libcurl needed; after the handle is closed or reset.
    func close() {
        handle = nil
        patchbay_curl_list_close(fieldList)
        fieldList = nil
    }

    /// Tells whoever waits for it what came of it; once, and not in a turn.
    func end() { continuation.resume(returning: outcome) }

    // MARK: What libcurl calls

    /// How many bytes of the line were taken, in libcurl's sense. While the exchange waits, libcurl joins the lines behind the body.
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
        do throws(TransportFailure) {
            if hasHead {
                try reader.readTrailers(line)
                return line.count
            }
            if !reader.hasBegun { waitForEndOfStream(line) }
            if head == nil { head = try reader.read(line) }
            guard let head else { return line.count }
            let taken = taken(line.count, receiver.receive(status: head.status, fields: head.fields))
            hasHead = taken == line.count
            // More than the blank line that ends the head: what came while that waited.
            if hasHead, line.count > 2 { try reader.readTrailers(line) }
            return taken
        } catch {
            failure = error
            return 0
        }
    }

    /// Over HTTP/2 the stream says where the body ends. Where Content-Length is known libcurl would stop there, and never hand over
    /// the fields behind the body; that the body has this length its HTTP/2 library checks (RFC 9113, section 8.1.1).
    private func waitForEndOfStream(_ firstLine: UnsafeRawBufferPointer) {
        // The 2 of `HTTP/2`.
        guard firstLine.count > 5, firstLine[5] == 0x32 else { return }
        _ = handle?.set(PATCHBAY_CURLOPT_IGNORE_CONTENT_LENGTH, 1)
    }

    /// How many bytes of the chunk were taken, in libcurl's sense: a chunk that is only decoded in part waits with libcurl, which
    /// offers it again before the transfer can be over, and the decoder knows how much of it is done.
    func receiveBody(_ chunk: UnsafeRawBufferPointer) -> Int {
        guard hasHead else {
            failure = TransportFailure(.malformedResponse, "the response has a body but no complete head")
            return 0
        }
        do throws(TransportFailure) {
            if !hasBody, !chunk.isEmpty { try beginBody() }
            let flow = try decoder?.decode(chunk, for: receiver, turn: loop.turns) ?? receiver.receive(chunk)
            let taken = taken(chunk.count, flow)
            if taken == chunk.count { bytesReceived += taken }
            return taken
        } catch {
            failure = error
            return 0
        }
    }

    /// At the first byte and not before: what a head says of a body that never comes is no failure.
    private func beginBody() throws(TransportFailure) {
        hasBody = true
        guard request.decodesContent, let head, head.known.contains(.contentEncoding) else { return }
        let codings = head.fields.contentCodings
        if !codings.isEmpty { decoder = try ContentDecoder(codings, loop.configuration) }
    }

    /// Copies the next bytes of the request body; how many they are, in libcurl's sense.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        // libcurl stops by itself, but not where the connection is to be closed: there it would go on until sending fails, and what is
        // still to come of the response would be lost.
        if hasHead, let head, head.status >= 300 {
            isBodyEnded = true
            return Int(PATCHBAY_CURL_READFUNC_PAUSE)
        }
        switch request.body {
        case nil: return 0
        case .data(let body):
            let piece = body.dropFirst(bytesRead).prefix(buffer.count)
            piece.withUnsafeBytes { buffer.copyMemory(from: $0) }
            bytesRead += piece.count
            return piece.count
        case .source(let source):
            do {
                switch try source.read(into: buffer) {
                case .bytes(let count):
                    bytesRead += count
                    (sourceSignal, releasedSocket) = (nil, nil)
                    return count
                case .end:
                    sourceSignal = nil
                    return 0
                case .wait(let signal):
                    if let releasedSocket, !isResponseWhole, patchbay_curl_is_peer_gone(releasedSocket) != 0 {
                        failure = .lostBeforeSent
                        return Int(PATCHBAY_CURL_READFUNC_ABORT)
                    }
                    resume(after: signal, &sourceSignal)
                    return Int(PATCHBAY_CURL_READFUNC_PAUSE)
                }
            } catch {
                failure = .unreadableBody
                return Int(PATCHBAY_CURL_READFUNC_ABORT)
            }
        }
    }

    /// Gives the field lines behind the request body, once it has ended, to whoever keeps them; false where one is not kept.
    func appendTrailers(to keep: (String) -> Bool) -> Bool {
        guard case .source(let source) = request.body else { return true }
        let trailers = source.trailers()
        // libcurl has 64 KiB for all of them (DYN_TRAILERS), with the line that ends them and a NUL, and says of more that it has no
        // memory left.
        let bytes = trailers.reduce(3) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard bytes <= 64 << 10 else {
            failure = .trailersTooLong
            return false
        }
        return trailers.allSatisfy { field in
            FieldByte.isToken(field.name) && WireRequest.isSendable(field.value)
                && keep("\(field.name): \(field.value)")
        }
    }

    /// Whether all of the response is known to have come. A host that answers early may then close its side and read on (nginx does).
    private var isResponseWhole: Bool {
        guard hasHead, let head else { return false }
        guard ResponseHead.canHaveBody(head.status, to: request.method) else { return true }
        return head.fields.announcedLength == bytesReceived
    }

    /// Goes back in the request body, which libcurl asks for when a kept connection turns out to be dead.
    func seek(to offset: Int) -> Bool {
        switch request.body {
        case nil: return false
        case .data(let body):
            guard (0...body.count).contains(offset) else { return false }
            bytesRead = offset
            return true
        case .source(let source):
            guard offset == 0 else { return false }
            do { try source.rewind() } catch { return false }
            (bytesRead, releasedSocket) = (0, nil)
            return true
        }
    }

    func noteSent(_ total: Int) {
        // libcurl counts what frames the chunks of a body, too.
        let total = min(total, bytesRead)
        guard total > bytesSent else { return }
        receiver.sent(total - bytesSent)
        bytesSent = total
    }

    /// What libcurl is told of a piece that the receiver has seen: taken, to be offered again, or not wanted.
    private func taken(_ count: Int, _ flow: TransportFlow) -> Int {
        switch flow {
        case .proceed:
            receiverSignal = nil
            return count
        case .stop:
            failure = .stopped
            return 0
        case .wait(let signal):
            resume(after: signal, &receiverSignal)
            return Int(PATCHBAY_CURL_WRITEFUNC_PAUSE)
        }
    }

    /// libcurl pauses and resumes both directions at once, so that the one asks again whenever the other goes on.
    private func resume(after signal: StopSignal, _ last: inout StopSignal?) {
        guard last !== signal || signal.hasFired else { return }
        last = signal
        signal.whenFired { [weak loop, number] in loop?.send(.resume(number)) }
    }

    /// libcurl waits for nothing on the connection. Where the body waits, and no piece does, the response has ended, or the connection:
    /// it is to look again, once. Where it then asks for more of the body it is told to wait on, or that the host has gone.
    func noteRelease(of socket: Int32) {
        guard sourceSignal != nil || isBodyEnded, receiverSignal == nil, releasedSocket == nil else { return }
        releasedSocket = socket
        loop.noteRelease(of: number)
    }

    // MARK: The end

    /// How the exchange ended: with our reason, where it was ours, else with what libcurl's code means.
    func result(_ code: patchbay_curl_code) -> Result<ExchangeTimings, TransportFailure> {
        if let failure { return .failure(failure) }
        guard let handle else { return .failure(.noHandle) }
        guard code == PATCHBAY_CURLE_OK else {
            return .failure(TransportFailure(code, handle, request.url, responseBegan: reader.hasBegun))
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
        return .success(Self.timings(handle))
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

    /// The version of HTTP by its name.
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
