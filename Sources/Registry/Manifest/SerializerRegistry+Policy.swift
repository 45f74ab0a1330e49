extension SerializerRegistry {
    /// The rules for a whole registry or for one host: the `"policy"` of the manifest.
    package struct Policy: Sendable, Hashable {
        /// The result for a response without a covering entry.
        package enum Fallback: Sendable, Hashable {
            case raw
            case error
            /// The entry with this id makes the value. Its media types are not checked.
            case entry(String)
        }

        /// The rules that decide whether an empty body has the outcome *empty* or is an error.
        package struct EmptyBody: Sendable, Hashable {
            /// The result of an empty body that `methods` and `status` do not expect.
            package enum Otherwise: String, Sendable, Hashable, CaseIterable {
                case empty, error
            }

            /// The request methods whose responses have no body.
            package var methods = ["HEAD"]
            package var status: StatusSet
            /// The result of an empty body for all other methods and statuses: `error` applies to every type of value,
            /// bytes included.
            package var otherwise = Otherwise.empty

            /// Whether a response with this status to this method is expected to have no bytes.
            package func isExpected(method: String, status code: Int) -> Bool {
                methods.contains(method) || status.contains(code)
            }
        }

        /// The Accept field of requests that do not set it.
        package enum Accept: String, Sendable, Hashable, CaseIterable {
            /// A short list for each kind of call, as `AcceptHeader` makes it; the list of `all` if `noMatch` is `error`.
            case derived
            /// All types and ranges of the active entries that can make the value.
            case all
            /// No Accept field.
            case none
        }

        /// Which responses a cache stores and reuses, if the program has one.
        package enum CacheRule: String, Sendable, Hashable, CaseIterable {
            /// Those that RFC 9111 allows, also with a lifetime that follows from Last-Modified (section 4.2.2).
            case standard
            /// Those that RFC 9111 allows. Only a response that says its lifetime is fresh.
            case explicit
            /// None.
            case off
        }

        /// The result of a response that no entry covers.
        package var noMatch = Fallback.raw
        /// The result of a response without a Content-Type.
        package var missingContentType = Fallback.raw
        /// The result of a response with an invalid Content-Type.
        package var invalidContentType = Fallback.raw
        /// The statuses that are a success, unless the request sets its own acceptable statuses.
        package var acceptableStatus = StatusSet.successful
        package var empty: EmptyBody
        /// The largest body of any response, in bytes after content decoding.
        package var maximumBodyBytes = 64 << 20
        /// The Accept field of requests that do not set it.
        package var accept = Accept.derived
        /// The media type of a sent value, unless the call or a field of the request sets one.
        package var requestContentType: MediaType = "application/json"
        /// Which responses a cache stores and reuses.
        package var cache = CacheRule.standard

        /// The policy of an empty manifest.
        package init() {
            empty = EmptyBody(status: Self.bodiless)
        }

        /// 204, 205 and 304 (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5).
        private static let bodiless = StatusSet(arrayLiteral: 204, 205, 304)
    }
}

extension SerializerRegistry.Policy: CustomStringConvertible {
    /// `noMatch: raw, missingContentType: raw, …`, as in a manifest.
    package var description: String {
        let rules = [
            "noMatch: \(noMatch)", "missingContentType: \(missingContentType)",
            "invalidContentType: \(invalidContentType)",
            "acceptableStatus: \(acceptableStatus)", "empty: \(empty)", "at most \(ByteCount(maximumBodyBytes))",
            "accept: \(accept)", "requestContentType: \(requestContentType)", "cache: \(cache)",
        ]
        return rules.joined(separator: "; ")
    }
}

extension SerializerRegistry.Policy.Fallback: CustomStringConvertible {
    /// As in a manifest: `raw`, `error`, or the id of an entry.
    package var description: String {
        switch self {
        case .raw: "raw"
        case .error: "error"
        case .entry(let id): id
        }
    }
}

extension SerializerRegistry.Policy.EmptyBody: CustomStringConvertible {
    /// `HEAD or 204, 205, 304, otherwise empty`
    package var description: String {
        "\(methods.joined(separator: ", ")) or \(status), otherwise \(otherwise)"
    }
}
