import CPatchbayCurl
import PatchbayCodings
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// What libcurl calls while it sends the body of the request, and waiting in both directions.
extension Transfer {
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

    /// Whether all of the response is known to have come. A host that answers early may then close its side and read on (nginx does).
    private var isResponseWhole: Bool {
        guard hasHead, let head else { return false }
        guard ResponseHead.canHaveBody(head.status, to: request.method) else { return true }
        return head.fields.announcedLength == bytesReceived
    }

    /// libcurl pauses and resumes both directions at once, so that the one asks again whenever the other goes on.
    func resume(after signal: StopSignal, _ last: inout StopSignal?) {
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
}
