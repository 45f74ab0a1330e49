package import PatchbayPlatform

/// The look-up for requests: the entry that writes the body of one request, and the reasons.
///
/// A class of constants, so that the steps of a call pass on only a reference to it. Reasons are computed on demand.
package final class WriterLookup: Sendable {
    /// The value or the elements to write.
    package enum Subject: Sendable {
        case value(any Encodable & Sendable)
        /// Elements of this type, one by one.
        case elements(any Sendable.Type)

        /// The type of the value, or of the elements.
        var type: any Sendable.Type {
            switch self {
            case .value(let value): Swift.type(of: value)
            case .elements(let type): type
            }
        }
    }

    let registry: SerializerRegistry
    let section: HostSection
    package let type: MediaType
    /// The type of the value or of the elements; the value itself is not kept.
    private let subject: any Sendable.Type
    private let isForElements: Bool
    private let excluding: Set<String>
    /// The writer; nil if no entry writes the value.
    package let writer: BoundWriter?
    /// For each entry that declined the value, its reason, by entry id.
    private let declined: [String: String]

    init(
        _ registry: SerializerRegistry, _ section: HostSection, _ subject: Subject, _ type: MediaType,
        excluding: Set<String>
    ) {
        var declined: [String: String] = [:]
        var writer: BoundWriter?
        let table = section.table
        var positions = table.positions(covering: registry.compiled.matched(type))
        while writer == nil, let position = positions.next() {
            let entry = table.entries[position]
            guard let candidate = entry.writer, !excluding.contains(entry.id) else { continue }
            switch subject {
            case .elements: if candidate.elements != nil { writer = candidate }
            case .value(let value):
                if let reason = candidate.serializer.declineReason(writing: value, as: type) {
                    declined[entry.id] = Printed(reason, limit: 200).text
                } else {
                    writer = candidate
                }
            }
        }
        (self.registry, self.section, self.type, self.excluding) = (registry, section, type, excluding)
        (self.writer, self.declined) = (writer, declined)
        self.subject = subject.type
        if case .elements = subject { isForElements = true } else { isForElements = false }
    }

    /// Every entry that was considered, in order, with its reason. If an entry writes the value, this entry is the last.
    package var candidates: [Decision.Candidate] {
        let mediaType = registry.compiled.matched(type)
        var rows: [Decision.Candidate] = []
        for entry in section.table.entries where entry.availability != .switchedOff {
            if entry.id == writer?.entry {
                return rows + [.init(entry: entry.id, verdict: .chosen, reason: "writes \(ShownType(type))")]
            }
            rows.append(.init(entry: entry.id, verdict: .declined, reason: gap(of: entry, mediaType)))
        }
        return rows
    }

    /// The reason that an entry does not write.
    private func gap(of entry: RegistryEntry, _ mediaType: MediaType?) -> String {
        if excluding.contains(entry.id) { return "the request excludes it" }
        if case .unavailable(let reason) = entry.availability { return reason }
        guard entry.coverage.coversType(mediaType) else {
            return entry.coverage.typeGap(.mediaType(type), seenAs: mediaType)
        }
        if entry.writer == nil {
            return entry.sides.write ? "it only reads responses" : "the manifest says \"writes\": false"
        }
        return declined[entry.id] ?? "it writes whole values, not elements one by one"
    }

    /// The reason that no entry writes the value: one sentence, with the entries that cover the type.
    package var refusal: String {
        let mediaType = registry.compiled.matched(type)
        let rows = candidates
        let covering = Set(section.table.entries.filter { $0.coverage.coversType(mediaType) }.map(\.id))
        let close = rows.filter { covering.contains($0.entry) }.map { "\($0.entry) (\($0.reason))" }
        let asked =
            switch (close.isEmpty, rows.count) {
            case (false, _): "asked: \(QuotedList(close, quoted: false))"
            case (true, 0): "there are no entries"
            case (true, 1): "the only entry, \(rows[0].entry), does not cover this type"
            case (true, let count): "none of the \(count) entries covers this type"
            }
        let subject = (isForElements ? "elements of the type " : "") + Printed("\(subject)", limit: 100).text
        let hosts = section.pattern.map { " for the \($0.isWildcard ? "hosts" : "host") \($0)" } ?? ""
        return "no entry writes \(subject) as \(ShownType(type))\(hosts); \(asked)"
    }

    /// The failure of the chosen entry.
    package func failure(_ error: any Error) -> WritingFailure {
        WritingFailure(entry: writer?.entry ?? Attempt.request, type: type, cause: error)
    }
}

/// The error of an entry that could not write a value.
package struct WritingFailure: Error, SafeToPrint, Sendable {
    package let entry: String
    package let type: MediaType
    /// The error of the entry's serializer.
    package let cause: any Error

    package var description: String {
        "the entry \(entry) could not write \(ShownType(type)): \(FailureReason(cause, naming: "its serializer threw"))"
    }
}

/// A value that is sent as it is; no entry is considered.
package enum BodyValue: Sendable {
    case bytes(Data)
    case text(String)

    /// Nil for a value that an entry must write.
    package init?(_ value: any Encodable) {
        // The type is compared first, because a cast of an array checks its elements: an empty array of any type would
        // count as bytes.
        let type: any Any.Type = Swift.type(of: value)
        if type == String.self, let text = value as? String {
            self = .text(text)
        } else if type == Data.self, let bytes = value as? Data {
            self = .bytes(bytes)
        } else if type == [UInt8].self, let bytes = value as? [UInt8] {
            self = .bytes(Data(bytes))
        } else {
            return nil
        }
    }

    /// The media type of the body if nothing else sets one.
    package var type: MediaType {
        switch self {
        case .bytes: .octetStream
        case .text: "text/plain; charset=utf-8"
        }
    }
}

extension WriterLookup {
    /// The bytes of the value.
    package func write(_ value: any Encodable & Sendable) throws -> Data {
        try writer?.serializer.write(value, as: type) ?? Data()
    }
}

extension SerializerRegistry {
    /// The section that applies to a host. Pass nil for a URL without a host.
    package func section(for host: CanonicalHost?) -> HostSection { compiled.sections.section(for: host) }

    /// Looks up the entry that writes a value or elements in a media type for a host.
    package func writer(
        of subject: WriterLookup.Subject, as type: MediaType, for host: CanonicalHost?, excluding: Set<String> = []
    ) -> WriterLookup {
        WriterLookup(self, compiled.sections.section(for: host), subject, type, excluding: excluding)
    }

    /// The entry that would write a value, and the reason that each earlier entry would not. Nothing is written.
    ///
    /// `reply.written` of a call with this body is the same decision. The outcome is `entry`, or `error` if no entry
    /// writes the value. `Data`, `[UInt8]` and `String` are sent as they are, without considering an entry: the outcome
    /// is `raw`.
    /// - Parameters:
    ///   - value: the value of the body. It is passed to `declineReason(writing:as:)` of the entries.
    ///   - type: the media type of the body; nil for `policy.requestContentType` of the host.
    ///   - host: the host, with its port unless that is the default. A text that is not a host counts as nil: the
    ///     global list applies.
    public func explain(
        writing value: some Encodable & Sendable, in type: MediaType? = nil, host: String? = nil
    ) -> Decision {
        let host = host.flatMap { CanonicalHost($0) }
        let value = unwrapped(value) ?? value
        if let given = BodyValue(value) {
            return Decision(
                self, compiled.sections.section(for: host), writing: type ?? given.type, .raw, nil, [])
        }
        return Decision(writer(of: .value(value), as: type ?? policy(for: host).requestContentType, for: host))
    }
}
