/// One connection of a `RawServer` in the hands of the test: it reads and sends by turns, as it likes.
public struct RawDialogue {
    let socket: Int32
    /// What was read from the socket and not taken yet.
    var unread: [UInt8]

    /// The next chunk of a chunked body, empty for the last; nil where the client is gone, or sends something else.
    public mutating func readChunk() -> [UInt8]? {
        guard let line = readLine(), let size = Int(String(decoding: line, as: UTF8.self), radix: 16) else {
            return nil
        }
        guard size > 0 else { return [] }
        guard let chunk = read(size), readLine()?.isEmpty == true else { return nil }
        return chunk
    }

    /// The field lines behind the last chunk; nil where the client is gone before they have ended.
    public mutating func readTrailers() -> [String]? {
        var lines: [String] = []
        while let line = readLine() {
            if line.isEmpty { return lines }
            lines.append(String(decoding: line, as: UTF8.self))
        }
        return nil
    }

    /// A line without its CR and LF.
    public mutating func readLine() -> [UInt8]? {
        while true {
            if let end = RawConnection.end(of: [0x0D, 0x0A], in: unread) {
                defer { unread.removeFirst(end) }
                return Array(unread[..<(end - 2)])
            }
            guard receive() else { return nil }
        }
    }

    public mutating func read(_ count: Int) -> [UInt8]? {
        while unread.count < count {
            guard receive() else { return nil }
        }
        defer { unread.removeFirst(count) }
        return Array(unread[..<count])
    }

    /// Everything up to the end of the connection.
    public mutating func readToEnd() -> [UInt8] {
        while receive() {}
        defer { unread = [] }
        return unread
    }

    /// False where the client is gone.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool { LoopbackSocket.write(socket, bytes) }

    /// False where the client is gone.
    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes in the framing of Transfer-Encoding; none are the end of the body.
    @discardableResult
    public func sendChunk(_ bytes: [UInt8]) -> Bool {
        send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
    }

    /// Says that no more bytes will come, and may read on.
    public func endSending() { LoopbackSocket.endSending(socket) }

    private mutating func receive() -> Bool {
        guard let more = LoopbackSocket.read(socket) else { return false }
        unread += more
        return true
    }
}
