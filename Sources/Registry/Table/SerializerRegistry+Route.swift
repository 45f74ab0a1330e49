extension SerializerRegistry {
    /// One row of the table of a host, in the order in which entries are asked.
    public struct Route: Sendable, Hashable {
        /// Whether an entry can be chosen.
        public enum Availability: Sendable, Hashable {
            case available
            /// Switched off by `"enabled": false`.
            case switchedOff
            /// Always declines, for the reason given: its factory is not in this build.
            case unavailable(String)
        }

        /// The id of the entry.
        public let id: String
        /// The name of the factory that its serializer comes from.
        public let factory: String
        /// The media ranges; nil covers every response.
        public let types: [String]?
        /// The statuses that it covers.
        public let status: StatusSet
        /// What a call has to want; nil is anything.
        public let wanted: EntryMatch.Wanted?
        /// The type of the values it makes; nil where it is not available.
        public let output: String?
        /// What its failure means.
        public let onFailure: FailureRule
        /// The entry's own limit in bytes; nil where only the policy's holds.
        public let maximumBodyBytes: Int?
        /// Whether it can be chosen.
        public let availability: Availability
        /// The host section that the entry is of; nil for the global list.
        public let hostSection: String?
        /// Where the entry was first written: the name of the source, and the JSON pointer in it.
        public let file: String
        /// The JSON pointer (RFC 6901) of the entry in `file`.
        public let pointer: String
        /// Whether code put another serializer in its place.
        public let isReplaced: Bool
    }
}

extension SerializerRegistry.Route: CustomStringConvertible {
    /// `json: @json with status any`; where the entry has it, what is wanted.
    public var description: String {
        let types = types.map { $0.joined(separator: ", ") } ?? "every type"
        let row = "\(id): \(types) with status \(status)" + (wanted.map { ", for \($0.rawValue)" } ?? "")
        return availability == .available ? row : "\(row), \(availability)"
    }
}

extension SerializerRegistry.Route.Availability: CustomStringConvertible {
    public var description: String {
        switch self {
        case .available: "available"
        case .switchedOff: "switched off"
        case .unavailable(let reason): "not available: \(reason)"
        }
    }
}
