public import PatchbayRegistry

/// What a `RawServer` does with the connection after one request, step by step.
public struct RawReply: Sendable {
    public enum Step: Sendable {
        case send([UInt8])
        /// Reads so many bytes of the request's body and forgets them, for a server that does not read bodies by itself.
        case drop(Int)
        /// Calls the test, on the thread of the connection.
        case run(@Sendable () -> Void)
        /// Hands the connection to the test, on its own thread, for as long as that takes.
        case converse(@Sendable (inout RawDialogue) -> Void)
        /// Nothing for so long, unless the server stops first.
        case pause(Duration)
        /// Nothing until the gate opens, the client goes away or the server stops.
        case wait(Gate)
        /// Nothing until the client goes away or the server stops.
        case hang
        /// Says that no more bytes will come, waits shortly for the client to go, and closes.
        case close
        /// Breaks the connection with a reset (RST).
        case reset
    }

    public var steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps }

    /// The bytes as they are, then the end of the connection.
    public static func raw(_ bytes: some Sequence<UInt8>, closing: Bool = true) -> RawReply {
        RawReply([.send(Array(bytes))] + (closing ? [.close] : []))
    }

    /// The text as UTF-8, as it is, then the end of the connection.
    public static func raw(_ text: String, closing: Bool = true) -> RawReply {
        raw(text.utf8, closing: closing)
    }

    /// A well-formed response with a Content-Length; the connection stays open.
    public static func response(
        status: Int = 200, _ fields: HeaderFields = [:], body: some Sequence<UInt8>
    ) -> RawReply {
        let body = Array(body)
        var head = "HTTP/1.1 \(status) Status\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        if status != 204, status != 304, status >= 200 { head += "Content-Length: \(body.count)\r\n" }
        return RawReply([.send(Array((head + "\r\n").utf8) + body)])
    }

    public static func response(status: Int = 200, _ fields: HeaderFields = [:], body: String = "")
        -> RawReply
    {
        response(status: status, fields, body: body.utf8)
    }

    /// The same reply after a pause.
    public func delayed(by duration: Duration) -> RawReply { RawReply([.pause(duration)] + steps) }

    /// The same reply once the gate is open.
    public func after(_ gate: Gate) -> RawReply { RawReply([.wait(gate)] + steps) }

    /// The bytes of the reply in pieces of one size, with a pause between them.
    public func sliced(into size: Int, every pause: Duration = .zero) -> RawReply {
        RawReply(
            steps.flatMap { step -> [Step] in
                guard case .send(let bytes) = step else { return [step] }
                return stride(from: 0, to: bytes.count, by: max(size, 1)).flatMap { start -> [Step] in
                    [.send(Array(bytes[start..<min(start + max(size, 1), bytes.count)])), .pause(pause)]
                }
            })
    }
}
