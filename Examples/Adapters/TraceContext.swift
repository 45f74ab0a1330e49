// W3C Trace Context (https://www.w3.org/TR/trace-context-1/): reads and writes `traceparent` and `tracestate`, and an
// interceptor that sends them, without another package.
//
//     configuration.interceptors.append(TraceContextInterceptor())
//
// A server that handles a request calls others in its context:
//
//     try await TraceContext.$current.withValue(TraceContext(request.fields)) { try await api.get("users/1") }

import Patchbay

/// Sends the context of the task that makes the call, with a new span for each request: also for a retry, and for a
/// redirect to the same origin. A redirect to another origin is sent without it.
struct TraceContextInterceptor: RequestInterceptor {
    func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
        let span = TraceContext.current?.child() ?? TraceContext()
        head.fields["traceparent"] = span.traceparent
        head.fields["tracestate"] = span.tracestate
    }
}

/// A span in a trace.
struct TraceContext: Sendable, Hashable {
    @TaskLocal static var current: TraceContext?

    /// 32 digits.
    let traceID: String
    /// 16 digits.
    let spanID: String
    let isSampled: Bool
    /// The value of `tracestate`; nil if there is none, or none that can be sent on.
    let tracestate: String?

    /// The first span of a new trace.
    init(isSampled: Bool = true) {
        self.init(traceID: Self.digits() + Self.digits(), spanID: Self.digits(), isSampled: isSampled, tracestate: nil)
    }

    private init(traceID: String, spanID: String, isSampled: Bool, tracestate: String?) {
        (self.traceID, self.spanID) = (traceID, spanID)
        (self.isSampled, self.tracestate) = (isSampled, tracestate)
    }

    /// The context that a request was sent with; nil if it has no valid `traceparent`. An invalid `tracestate` is
    /// dropped.
    init?(_ fields: HeaderFields) {
        let parents = fields.values(for: "traceparent")
        guard parents.count == 1 else { return nil }
        self.init(traceparent: parents[0], tracestate: fields.values(for: "tracestate"))
    }

    /// - Parameter lines: the values of `tracestate`, which are one list.
    init?(traceparent: String, tracestate lines: [String] = []) {
        let bytes = Array(traceparent.utf8)
        func digits(_ range: Range<Int>) -> String? {
            let part = bytes[range]
            return part.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
                ? String(decoding: part, as: UTF8.self) : nil
        }
        let hyphen = UInt8(ascii: "-")
        guard bytes.count >= 55, bytes[2] == hyphen, bytes[35] == hyphen, bytes[52] == hyphen,
            let version = digits(0..<2), let traceID = digits(3..<35), let spanID = digits(36..<52),
            let flags = digits(53..<55).flatMap({ UInt8($0, radix: 16) }), version != "ff",
            // A later version can add parts.
            bytes.count == 55 || (version != "00" && bytes[55] == hyphen),
            traceID.contains(where: { $0 != "0" }), spanID.contains(where: { $0 != "0" })
        else { return nil }
        self.init(
            traceID: traceID, spanID: spanID, isSampled: flags & 1 == 1, tracestate: Self.tracestate(lines))
    }

    /// The value of the field, in version 00. Flags that it does not define are 0.
    var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// A new span of the same trace, which this one causes.
    func child() -> TraceContext {
        TraceContext(traceID: traceID, spanID: Self.digits(), isSampled: isSampled, tracestate: tracestate)
    }

    private static func digits() -> String {
        let digits = String(UInt64.random(in: 1 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: tracestate

    /// The members of the list (section 3.3.1), in order; nil if there is none, or if one is invalid.
    private static func tracestate(_ lines: [String]) -> String? {
        let members = lines.joined(separator: ",").split(separator: ",").map(trimmed).filter { !$0.isEmpty }
        var keys: Set<Substring> = []
        for member in members {
            guard let mark = member.firstIndex(of: "="), isKey(member[..<mark]), isValue(member[mark...].dropFirst()),
                keys.insert(member[..<mark]).inserted
            else { return nil }
        }
        return members.isEmpty || members.count > 32 ? nil : members.joined(separator: ",")
    }

    private static func trimmed(_ member: Substring) -> Substring {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        var member = member.drop(while: isBlank)
        while member.last.map(isBlank) == true { member.removeLast() }
        return member
    }

    /// `key` or `tenant@system` (section 3.3.1.3.1).
    private static func isKey(_ key: Substring) -> Bool {
        let parts = key.split(separator: "@", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return isName(parts[0], 256)
        case 2: return isName(parts[0], 241, digitFirst: true) && isName(parts[1], 14)
        default: return false
        }
    }

    private static func isName(_ name: Substring, _ longest: Int, digitFirst: Bool = false) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard let first = name.utf8.first, name.utf8.count <= longest else { return false }
        return (isLetter(first) || digitFirst && isDigit(first))
            && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || "_-*/".utf8.contains($0) }
    }

    /// 1 to 256 visible characters or spaces, without `,` and `=` (section 3.3.1.3.2).
    private static func isValue(_ value: Substring) -> Bool {
        (1...256).contains(value.utf8.count)
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x2C && $0 != 0x3D }
    }
}
