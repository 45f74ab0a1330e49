package import PatchbayJSON
import PatchbayPlatform

/// One entry, ready to run: a row of the table of a host.
///
/// A class of constants, so that a decision keeps only a reference to it.
package final class RegistryEntry: Sendable {
    package let id: String
    package let factory: String
    /// The options from the manifest; empty by default.
    package let options: JSON
    package let coverage: Coverage
    package let maximumBodyBytes: Int?
    package let onFailure: FailureRule
    /// The reader of responses; nil if the entry declines every response.
    package let serializer: BoundSerializer?
    /// The writer of request bodies; nil if the entry never writes.
    package let writer: BoundWriter?
    /// The directions (reading, writing) that the manifest allows.
    package let sides: Sides
    package let availability: Availability
    /// What a build needs to have the factory; nil if every build has it, or if code replaced the serializer.
    package let need: Need?
    /// The host section of the entry; nil for the global list.
    package let hostSection: String?
    /// The name of the manifest, or of the call, that first declares the entry.
    package let file: String
    /// The JSON pointer (RFC 6901) of the entry in `file`.
    package let pointer: String
    /// Whether code replaced the entry's serializer.
    package let isReplaced: Bool
    /// The ranges that name the format of the factory, its own name first. Empty if all types of the entry do.
    let formatTypes: [MediaRange]

    init(
        id: String, factory: String, options: JSON, coverage: Coverage, maximumBodyBytes: Int?, onFailure: FailureRule,
        serializer: BoundSerializer?, writer: BoundWriter?, sides: Sides,
        availability: Availability, need: Need? = nil,
        hostSection: String?, file: String, pointer: String, isReplaced: Bool = false, formatTypes: [MediaRange] = []
    ) {
        self.id = id
        self.factory = factory
        self.options = options
        self.coverage = coverage
        self.maximumBodyBytes = maximumBodyBytes
        self.onFailure = onFailure
        self.serializer = serializer
        self.writer = writer
        self.sides = sides
        self.availability = availability
        self.need = need
        self.hostSection = hostSection
        self.file = file
        self.pointer = pointer
        self.isReplaced = isReplaced
        self.formatTypes = formatTypes
    }

    /// Whether only the name of the factory is known.
    package var isDeclared: Bool {
        serializer?.serializer is DeclaredSerializer || writer?.serializer is DeclaredSerializer
    }

    /// Whether the types of the range name the entry's format, or no format.
    func isFormat(_ range: MediaRange) -> Bool {
        formatTypes.isEmpty || range.tellsNoFormat || formatTypes.covers([range])
    }

    /// This entry with the reader and the writer of another serializer, if the serializer has them and the manifest
    /// allows them.
    func replaced(by serializer: any Serializer) -> RegistryEntry {
        let (reader, writer) = (sides.reader(serializer), sides.writer(serializer))
        guard reader != nil || writer != nil else { return self }
        let bound = reader.map(bound) ?? self.serializer
        return RegistryEntry(
            id: id, factory: factory, options: options, coverage: coverage, maximumBodyBytes: maximumBodyBytes,
            onFailure: onFailure, serializer: bound,
            writer: writer.map { BoundWriter($0, entry: id) } ?? self.writer, sides: sides,
            availability: .available, hostSection: hostSection, file: file, pointer: pointer, isReplaced: true,
            // A serializer with another output reads another format.
            formatTypes: bound?.output == self.serializer?.output ? formatTypes : [])
    }

    private func bound(_ reader: any ResponseSerializer) -> BoundSerializer {
        BoundSerializer(reader, entry: id, maximumBodyBytes: maximumBodyBytes, onFailure: onFailure)
    }

    /// This entry without the `declineReason` of its serializer.
    package var takingAll: RegistryEntry {
        RegistryEntry(
            id: id, factory: factory, options: options, coverage: coverage, maximumBodyBytes: maximumBodyBytes,
            onFailure: onFailure,
            serializer: serializer.map {
                BoundSerializer(
                    $0.serializer, entry: id, maximumBodyBytes: maximumBodyBytes, onFailure: onFailure, isAsked: false)
            }, writer: writer, sides: sides, availability: availability, need: need, hostSection: hostSection,
            file: file, pointer: pointer, isReplaced: isReplaced, formatTypes: formatTypes)
    }

    /// The verdict about an entry that has nothing for a look-up.
    var absence: Verdict {
        switch availability {
        case .unavailable: .unavailable
        case .switchedOff: .switchedOff
        case .available: .oneSided
        }
    }

    /// The media ranges; nil covers every response.
    package var types: [String]? { coverage.ranges.map { $0.map(\.description) } }

    /// The condition on the value that the call wants; nil for none.
    package var wanted: ManifestEntry.Wanted? { coverage.isForElements ? .elements : nil }

    /// The type of the values that the entry reads; nil if it reads none.
    package var output: String? { serializer.map { shownName(of: $0.output) } }

    /// The bodies of requests that the entry writes: whole values, or the elements of a sequence or of an array; nil if it
    /// does not write.
    package var writes: String? { writer.map { $0.elements == nil ? "values" : "elements" } }
}

extension RegistryEntry: CustomStringConvertible {
    /// `json: @json with status any`. `, for elements` follows if the entry is only for calls that want elements.
    package var description: String {
        let types = types.map { $0.joined(separator: ", ") } ?? "every type"
        let row = "\(id): \(types) with status \(coverage.status)" + (wanted.map { ", for \($0.rawValue)" } ?? "")
        return availability == .available ? row : "\(row), \(availability)"
    }
}

extension RegistryEntry {
    package enum Availability: Sendable, Hashable, CustomStringConvertible {
        case available
        /// Disabled by `"enabled": false`.
        case switchedOff
        /// The reason that the entry always declines: its factory is not in this build.
        case unavailable(String)

        package var description: String {
            switch self {
            case .available: "available"
            case .switchedOff: "switched off"
            case .unavailable(let reason): "not available: \(reason)"
            }
        }
    }

    /// A factory that not every build has.
    package struct Need: Sendable {
        /// The trait or the product that a build needs: `the trait Images`.
        package let build: String
        /// Whether a build without it leaves the entry out. Otherwise such a build refuses the manifest.
        package let isOptional: Bool
    }

    /// The directions that an entry uses: `"reads"` and `"writes"` of the manifest.
    package struct Sides: Sendable {
        package let read, write: Bool

        func reader(_ serializer: any Serializer) -> (any ResponseSerializer)? {
            read ? serializer as? any ResponseSerializer : nil
        }

        func writer(_ serializer: any Serializer) -> (any RequestSerializer)? {
            write ? serializer as? any RequestSerializer : nil
        }
    }
}

/// The responses and calls that an entry covers: media types, statuses and wanted elements must all match. For request
/// bodies only the media types must match.
package struct Coverage: Sendable {
    /// At least one of these ranges must match; nil covers every response, even one without a valid type.
    package let ranges: [MediaRange]?
    package let status: StatusSet
    /// Whether the entry is only for calls that want elements or an array of them.
    package let isForElements: Bool

    package init(ranges: [MediaRange]?, status: StatusSet, isForElements: Bool = false) {
        self.ranges = ranges
        self.status = status
        self.isForElements = isForElements
    }

    package func coversWish(_ wanted: WantedValue) -> Bool { !isForElements || wanted.isOfElements }

    package func coversType(_ mediaType: MediaType?) -> Bool { fit(mediaType) == .covered }

    /// The relation between the ranges and a media type.
    package enum Fit {
        case covered
        /// A range is for the media type, but with other parameters.
        case otherParameters
        case outside
    }

    package func fit(_ mediaType: MediaType?) -> Fit {
        guard let ranges else { return .covered }
        guard let mediaType else { return .outside }
        let near = ranges.filter { $0.matchesName(of: mediaType) }
        if near.contains(where: { $0.parametersMatch(mediaType) }) { return .covered }
        return near.isEmpty ? .outside : .otherParameters
    }

    /// Whether this coverage includes every response that `other` covers. An entry for elements and an entry for all
    /// calls never hide each other.
    package func covers(_ other: Coverage) -> Bool {
        guard isForElements == other.isForElements, status.covers(other.status) else { return false }
        return ranges == nil || other.ranges != nil && coversTypes(of: other)
    }

    /// Whether this coverage includes every media type that `other` covers: for request bodies, which have no status.
    func coversTypes(of other: Coverage) -> Bool {
        guard let ranges else { return true }
        guard let others = other.ranges else { return ranges.contains { $0.kind == .any && $0.parameters.isEmpty } }
        return ranges.covers(others)
    }

    func statusGap(_ code: Int) -> String { "status \(code) is outside \(status)" }

    func typeGap(_ contentType: ContentType, seenAs mediaType: MediaType?) -> String {
        let asked = QuotedList((ranges ?? []).map(\.description), quoted: false)
        switch contentType {
        case .missing: return "there is no Content-Type, and it asks for \(asked)"
        case .invalid: return "the Content-Type is invalid, and it asks for \(asked)"
        case .mediaType:
            let (received, reason) = mediaType.flatMap(parameterGap) ?? ("", "")
            return "\(ShownType(mediaType))\(received) is outside \(asked)\(reason)"
        }
    }

    /// The parameter that a range for the type requires with another value: as received, and the reason. Nil if no
    /// range is for the type.
    private func parameterGap(_ mediaType: MediaType) -> (received: String, reason: String)? {
        let near = (ranges ?? []).filter { $0.matchesName(of: mediaType) }
        guard let name = near.first?.parameters.first(where: { !$0.matches(mediaType) })?.name else { return nil }
        guard let value = mediaType[parameter: name] else { return ("", ": it has no \(name)") }
        // A value that is no token is quoted, so that a server cannot write the sentence.
        func shown(_ value: String) -> String {
            FieldByte.isToken(value) ? Printed(value, limit: 40).text : "\(Quoted(value))"
        }
        let values = near.flatMap(\.parameters).filter { $0.name == name && !$0.matches(mediaType) }.map(\.value)
        let asked = values.map(shown).joined(separator: " or ")
        return (";\(name)=\(shown(value))", ": its \(name) is \(shown(value)), not \(asked)")
    }
}
