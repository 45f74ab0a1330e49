import PatchbayManager
import TestSupport

/// A body whose end does not come, behind a complete head. A client that waits for it waits until the time limit of the
/// suite: no clock of the test ends the call, because a busy machine can be slower than any clock.
enum HeldBody: String, Sendable, CaseIterable {
    /// A byte every 10 ms, for longer than a suite may take.
    case trickled
    /// A byte, and then nothing.
    case hung

    func reply(_ status: Int, location: String? = nil) -> RawReply {
        let body = self == .trickled ? Self.trickle(60_000) : [.send(Self.chunk(1))]
        return RawReply([Self.head(status, location)] + body + [.hang])
    }

    /// 16 MiB at once: more than the buffers of a connection hold.
    /// - Parameter overdue: fires when the client has read all of it; then nothing more comes.
    static func endless(_ status: Int, overdue: OneShot) -> RawReply {
        let body = Array(repeating: RawReply.Step.send(chunk(64 << 10)), count: 256)
        return RawReply([head(status, nil)] + body + [.run { overdue.fire() }, .hang])
    }

    /// A body that trickles, but ends.
    static func ending(_ status: Int, afterBytes count: Int) -> RawReply {
        RawReply([head(status, nil)] + trickle(count) + [.send(Array("0\r\n\r\n".utf8))])
    }

    private static func head(_ status: Int, _ location: String?) -> RawReply.Step {
        let location = location.map { "Location: \($0)\r\n" } ?? ""
        let fields = "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\(location)"
        return .send(Array("HTTP/1.1 \(status) Status\r\n\(fields)\r\n".utf8))
    }

    private static func trickle(_ count: Int) -> [RawReply.Step] {
        Array(repeating: [.send(chunk(1)), .pause(.milliseconds(10))], count: count).flatMap(\.self)
    }

    private static func chunk(_ count: Int) -> [UInt8] {
        Array("\(String(count, radix: 16))\r\n\(String(repeating: "x", count: count))\r\n".utf8)
    }
}

/// Runs a call to its end. If the signal fires first, cancels the call.
func outcome<Value: Sendable>(
    until overdue: OneShot, of call: @escaping @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    let task = Task { try await call() }
    let listener = overdue.listen { task.cancel() }
    defer { listener.remove() }
    return await task.result
}
