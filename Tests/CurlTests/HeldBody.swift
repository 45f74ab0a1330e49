import PatchbayManager
import TestSupport

/// A body whose end does not come, behind a complete head.
enum HeldBody: String, Sendable, CaseIterable {
    /// 16 MiB at once: more than the buffers of a connection hold.
    case endless
    /// A byte every 10 ms, for eight seconds.
    case trickled
    /// A byte, and nothing for eight seconds.
    case hung

    /// - Parameter overdue: fires when the client has read for too long; then nothing more comes.
    func reply(_ status: Int, location: String? = nil, overdue: OneShot) -> RawReply {
        let body: [RawReply.Step] =
            switch self {
            case .endless: Array(repeating: .send(Self.chunk(64 << 10)), count: 256)
            case .trickled: Self.trickle(800)
            case .hung: [.send(Self.chunk(1)), .pause(.seconds(8))]
            }
        return RawReply([Self.head(status, location)] + body + [.run { overdue.fire() }, .hang])
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
        (0..<count).flatMap { _ in [.send(chunk(1)), .pause(.milliseconds(10))] }
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
