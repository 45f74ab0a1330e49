extension SerializerRegistry {
    /// One row of the table of a host, in the order in which entries are considered.
    package struct Route: Sendable, Hashable {
        package enum Availability: Sendable, Hashable {
            case available
            /// Disabled by `"enabled": false`.
            case switchedOff
            /// The reason that the entry always declines: its factory is not in this build.
            case unavailable(String)
        }

        /// A factory that not every build has.
        package struct Need: Sendable, Hashable {
            /// The trait or the product that a build needs: `the trait Images`.
            package let build: String
            /// Whether a build without it leaves the entry out. Otherwise such a build refuses the manifest.
            package let isOptional: Bool
        }

        /// The bodies that an entry writes.
        package enum Writes: String, Sendable, Hashable {
            /// Whole values.
            case values
            /// The elements of a sequence or of an array.
            case elements
        }

        package let id: String
        /// The name of the entry's factory.
        package let factory: String
        /// The media ranges; nil covers every response.
        package let types: [String]?
        package let status: StatusSet
        /// The condition on the value that the call wants; nil for none.
        package let wanted: ManifestEntry.Wanted?
        /// The type of the values; nil if the entry is not available.
        package let output: String?
        /// The bodies of requests that the entry writes; nil if it does not write.
        package let writes: Writes?
        package let onFailure: FailureRule
        /// The limit of the entry in bytes; nil if only the limit of the policy applies.
        package let maximumBodyBytes: Int?
        package let availability: Availability
        /// What a build needs to have the factory; nil if every build has it.
        package let need: Need?
        /// The host section of the entry; nil for the global list.
        package let hostSection: String?
        /// The name of the manifest, or of the call, that first declares the entry.
        package let file: String
        /// The JSON pointer (RFC 6901) of the entry in `file`.
        package let pointer: String
        /// Whether code replaced the entry's serializer.
        package let isReplaced: Bool
    }
}

extension SerializerRegistry.Route: CustomStringConvertible {
    /// `json: @json with status any`. `, for elements` follows if the entry is only for calls that want elements.
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
