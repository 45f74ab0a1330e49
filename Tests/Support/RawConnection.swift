import PatchbayRegistry

/// One connection of a `RawServer`: reads requests and plays the replies until either side ends it.
struct RawConnection: Sendable {
    let socket: Int32
    let readsBodies: Bool
    /// What is played without waiting for a request, instead of any.
    let opening: RawReply?
    let book: Shared<RawServerBook>

    func serve(_ answer: RawServer.Answer) {
        defer { finish() }
        var unread: [UInt8] = []
        if let opening {
            for step in opening.steps where !play(step, &unread) { return }
            return
        }
        while let request = nextRequest(&unread) {
            let waiters = book.withLock { $0.note(request) }
            if !waiters.isEmpty {
                let requests = book.withLock(\.requests)
                for waiter in waiters { waiter.continuation.resume(returning: requests) }
            }
            for step in answer(request).steps where !play(step, &unread) { return }
        }
    }

    func finish() {
        // Off the book before the number is given back, so that stop() never shuts down a stranger's socket.
        book.withLock { _ = $0.sockets.remove(socket) }
        LoopbackSocket.close(socket)
    }

    /// False where the connection is over.
    private func play(_ step: RawReply.Step, _ unread: inout [UInt8]) -> Bool {
        switch step {
        case .send(let bytes): return LoopbackSocket.write(socket, bytes)
        case .drop(let count): return drop(count, &unread)
        case .run(let action):
            action()
            return true
        case .converse(let test):
            var dialogue = RawDialogue(socket: socket, unread: unread)
            test(&dialogue)
            unread = dialogue.unread
            return true
        case .pause(let duration): return LoopbackSocket.wait(socket, for: duration, untilClosed: false)
        case .wait(let gate):
            return LoopbackSocket.wait(socket, gate: gate.descriptor, untilClosed: true)
        case .hang: return LoopbackSocket.wait(socket, untilClosed: true)
        case .close:
            LoopbackSocket.closeGently(socket)
            return false
        case .reset:
            LoopbackSocket.resetOnClose(socket)
            return false
        }
    }

    private func nextRequest(_ unread: inout [UInt8]) -> RawServer.Request? {
        var headEnd: Int?
        repeat {
            headEnd = Self.end(of: [0x0D, 0x0A, 0x0D, 0x0A], in: unread)
            if headEnd == nil {
                guard let more = LoopbackSocket.read(socket) else { return nil }
                unread += more
            }
        } while headEnd == nil
        guard let headEnd else { return nil }
        var request = RawServer.Request(rawHead: Array(unread[..<headEnd]))
        unread.removeFirst(headEnd)
        guard readsBodies else { return request }
        if request.fields["Expect"] != nil {
            _ = LoopbackSocket.write(socket, Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        var dialogue = RawDialogue(socket: socket, unread: unread)
        defer { unread = dialogue.unread }
        if request.fields["Transfer-Encoding"] != nil {
            while let chunk = dialogue.readChunk() {
                request.body += chunk
                guard chunk.isEmpty else { continue }
                guard let lines = dialogue.readTrailers() else { return nil }
                request.trailers = lines
                return request
            }
            return nil
        }
        if let length = request.fields["Content-Length"].flatMap({ Int($0) }) {
            guard let body = dialogue.read(length) else { return nil }
            request.body = body
        }
        return request
    }

    private func drop(_ count: Int, _ unread: inout [UInt8]) -> Bool {
        var count = count
        while true {
            let dropped = min(count, unread.count)
            unread.removeFirst(dropped)
            count -= dropped
            guard count > 0 else { return true }
            guard let more = LoopbackSocket.read(socket) else { return false }
            unread = more
        }
    }

    static func end(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= mark.count else { return nil }
        return (0...(bytes.count - mark.count)).first {
            bytes[$0..<($0 + mark.count)].elementsEqual(mark)
        }
        .map { $0 + mark.count }
    }
}
