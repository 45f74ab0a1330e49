import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// A line of a traffic log, whose format `Documentation/Traffic.md` has. Every text is cut, so that no line is larger than
/// 16 KiB.
struct TrafficLine {
    /// The longest path, and the largest sum of media types, in bytes.
    private static let longest = 1_024
    private static let most = 16

    let bytes: [UInt8]
    /// The number of decisions that are lost with the line.
    let decisions: Int

    private init(_ time: Date, _ members: [(String, JSON?)], decisions: Int) {
        var bytes: [UInt8] = []
        Self.object([("patchbay", 1), ("time", JSON(Self.text(time)))] + members).serialize(into: &bytes)
        (self.bytes, self.decisions) = (bytes + [UInt8(ascii: "\n")], decisions)
    }

    /// The line that counts the decisions before it that were not written.
    init(dropped count: Int) { self.init(Date(), [("dropped", JSON(count))], decisions: count) }

    init?(_ record: TrafficRecord) {
        guard let decision = record.decision else { return nil }
        let (head, override, entry) = (decision.head, decision.override, record.entry)
        let asked = (record.ended ?? decision).asked.filter { $0 != entry }.prefix(Self.most).map { Self.cut($0) }
        let isOverridden = override.using != nil || !override.excluding.isEmpty || override.acceptableStatus != nil
        let usesStored = record.cache.map { $0.isHit || $0.isValidated || $0.detail == "stale-if-error" } ?? false
        let isMade = record.outcome != .error && !decision.wanted.isElements
        let path = record.template ?? head.url.path(percentEncoded: true)
        let shown = Redaction.path(path.isEmpty ? "/" : path, named: head.request.maskedPathSegments)
        let origin = "\(head.url.scheme?.lowercased() ?? "")://\(head.host?.description ?? "")"
        let written: [(String, JSON?)] = [
            ("type", Self.types(head.request.fields)), ("entry", record.writer?.writer.map { Self.cut($0.entry) }),
            ("bytes", record.sentBytes.map { JSON($0) }),
        ]
        let members: [(String, JSON?)] = [
            ("method", Self.cut(head.request.method)), ("url", JSON(Self.text(origin) + Self.text(shown))),
            ("template", record.template.map { _ in true }), ("status", JSON(head.status)),
            ("type", Self.types(head.fields)), ("wanted", Self.cut(record.wanted.word(in: decision.registry))),
            ("value", record.wanted.typeName.map { Self.cut($0) }), ("override", isOverridden ? .some(true) : nil),
            ("entry", entry.map { Self.cut($0) }), ("asked", asked.isEmpty ? nil : .some(.array(asked))),
            ("outcome", JSON(record.outcome.rawValue)), ("error", record.error.map { Self.cut($0.rawValue) }),
            ("digest", JSON(decision.registryDigest)), ("bytes", JSON(record.bytes)),
            ("written", record.sentBytes.map { _ in Self.object(written) }),
            ("exchange", Self.milliseconds(record.began, record.bodyEnd)),
            ("decoding", isMade ? .some(Self.milliseconds(record.bodyEnd, record.valueEnd)) : nil),
            ("retries", record.retries > 0 ? .some(JSON(record.retries)) : nil),
            ("cache", usesStored ? .some("hit") : nil),
        ]
        self.init(record.start, members, decisions: 1)
    }

    private static func object(_ members: [(String, JSON?)]) -> JSON {
        .object(members.compactMap { key, value in value.map { (key, $0) } })
    }

    private static func types(_ fields: HeaderFields) -> JSON? {
        var room = longest
        let values = fields.values(for: "Content-Type").prefix(most).map { value in
            let text = text(value, room)
            room -= text.utf8.count
            return JSON(text)
        }
        return values.count > 1 ? .array(values) : values.first
    }

    private static func milliseconds(_ start: Duration, _ end: Duration) -> JSON {
        JSON((Double(max((end - start).waitableNanoseconds, 0)) / 1_000).rounded() / 1_000)
    }

    private static func text(_ time: Date) -> String {
        let known = Date.iso8601Years.contains(time) ? time : Date(timeIntervalSince1970: 0)
        return known.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func cut(_ name: String) -> JSON { JSON(text(name, 200)) }

    /// The beginning of a text, cut between two Unicode scalars.
    private static func text(_ text: String, _ limit: Int = longest) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: limit)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }
}
