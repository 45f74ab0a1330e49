package import PatchbayPlatform

/// The look-up for requests: the entry that writes the body of one request, and the reasons.
///
/// A class of constants, so that the steps of a call pass on only a reference to it. Reasons are computed on demand.
package final class WriterLookup: TableLookup, Sendable {
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
    /// The reasons of the serializers that declined the value, by entry id.
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

    var contentType: ContentType { .mediaType(type) }

    func refusal(of entry: RegistryEntry) -> Verdict? {
        if excluding.contains(entry.id) { return .excluded }
        if case .unavailable = entry.availability { return entry.absence }
        return nil
    }

    func verdict(ofCovering entry: RegistryEntry) -> Verdict {
        guard let writer = entry.writer else { return .oneSided }
        return isForElements && writer.elements == nil ? .unfit : .chosen
    }

    func reason(_ verdict: Verdict, of entry: RegistryEntry) -> String {
        switch verdict {
        case .chosen: "writes \(ShownType(type))"
        case .oneSided: entry.sides.write ? "it only reads responses" : "the manifest says \"writes\": false"
        case .unfit: "it writes whole values, not elements one by one"
        default: sharedReason(verdict, of: entry)
        }
    }

    /// Every entry that was considered, in order, with its reason. If an entry writes the value, this entry is the last.
    package var candidates: [Decision.Candidate] {
        var rows: [Decision.Candidate] = []
        for entry in section.table.entries where entry.availability != .switchedOff {
            rows.append(Decision.Candidate(considered(entry, declined)))
            if entry.id == writer?.entry { break }
        }
        return rows
    }

    /// The reason that no entry writes the value: one sentence, with the entries that cover the type.
    package var refusal: String {
        let subject = (isForElements ? "elements of the type " : "") + Printed(shownName(of: subject), limit: 100).text
        let hosts = section.pattern.map { " for the \($0.isWildcard ? "hosts" : "host") \($0)" } ?? ""
        return "no entry writes \(subject) as \(ShownType(type))\(hosts); "
            + asked(candidates) { "\($0.entry) (\($0.reason))" }
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
    /// The section that applies to a host, or to the path of a URL of it. Pass nil for a URL without a host.
    package func section(for host: CanonicalHost?, at url: URL? = nil) -> HostSection {
        compiled.sections.section(for: host, at: url)
    }

    /// Looks up the entry that writes a value or elements in a media type for a host, or for the path of a URL of it.
    package func writer(
        of subject: WriterLookup.Subject, as type: MediaType, for host: CanonicalHost?, at url: URL? = nil,
        excluding: Set<String> = []
    ) -> WriterLookup {
        WriterLookup(self, section(for: host, at: url), subject, type, excluding: excluding)
    }

    /// The entry that would write a value, and the reason that each earlier entry would not. Nothing is written.
    ///
    /// `reply.written` of a call with this body is the same decision. The outcome is `entry`, or `error` if no entry
    /// writes the value. `Data`, `[UInt8]` and `String` are sent as they are, without considering an entry: the outcome
    /// is `raw`.
    /// - Parameters:
    ///   - value: the value of the body. It is passed to `declineReason(writing:as:)` of the entries.
    ///   - type: the media type of the body; nil for `policy.requestContentType` of the host.
    ///   - host: the host, with its port unless that is the default, and with a path if the table has sections for
    ///     paths: `api.example.com/export`. A text that is not a host counts as nil: the global list applies.
    public func explain(
        writing value: some Encodable & Sendable, in type: MediaType? = nil, host: String? = nil
    ) -> Decision {
        let place = host.flatMap { Endpoint($0) }
        let section = section(for: place?.host, at: place?.url)
        let value = unwrapped(value) ?? value
        if let given = BodyValue(value) {
            return Decision(self, section, writing: type ?? given.type, .raw, nil, [])
        }
        return Decision(
            WriterLookup(self, section, .value(value), type ?? section.policy.requestContentType, excluding: []))
    }
}
