extension SerializerRegistry {
    /// One row of the table of a host, in the order in which entries are asked.
    package struct Route: Sendable, Hashable {
        package enum Availability: Sendable, Hashable {
            case available
            /// Switched off by `"enabled": false`.
            case switchedOff
            /// Always declines, for the reason given: its factory is not in this build.
            case unavailable(String)
        }

        /// The bodies that an entry writes.
        package enum Writes: String, Sendable, Hashable {
            /// Whole values.
            case values
            /// The elements of a sequence or of an array.
            case elements
        }

        package let id: String
        /// The name of the factory that its serializer comes from.
        package let factory: String
        /// The media ranges; nil covers every response.
        package let types: [String]?
        package let status: StatusSet
        /// What a call has to want; nil is anything.
        package let wanted: ManifestEntry.Wanted?
        /// The type of the values it makes; nil where it is not available.
        package let output: String?
        /// The bodies of requests that it writes; nil if it does not write.
        package let writes: Writes?
        package let onFailure: FailureRule
        /// The entry's own limit in bytes; nil where only the policy's holds.
        package let maximumBodyBytes: Int?
        package let availability: Availability
        /// The host section that the entry is of; nil for the global list.
        package let hostSection: String?
        /// Where the entry was first written: the name of the source, and the JSON pointer in it.
        package let file: String
        /// The JSON pointer (RFC 6901) of the entry in `file`.
        package let pointer: String
        /// Whether code put another serializer in its place.
        package let isReplaced: Bool
    }
}

extension SerializerRegistry.Route: CustomStringConvertible {
    /// `json: @json with status any`; where the entry has it, what is wanted.
    package var description: String {
        let types = types.map { $0.joined(separator: ", ") } ?? "every type"
        let row = "\(id): \(types) with status \(status)" + (wanted.map { ", for \($0.rawValue)" } ?? "")
        return availability == .available ? row : "\(row), \(availability)"
    }
}

extension SerializerRegistry.Route.Availability: CustomStringConvertible {
    package var description: String {
        switch self {
        case .available: "available"
        case .switchedOff: "switched off"
        case .unavailable(let reason): "not available: \(reason)"
        }
    }
}
