extension SerializerRegistry {
    /// What holds for a whole registry, or for one host: the `"policy"` of the manifest.
    package struct Policy: Sendable, Hashable {
        /// What takes the place of a covering entry where there is none.
        package enum Fallback: Sendable, Hashable {
            case raw
            case error
            /// The entry of this id, whose types are not asked for.
            case entry(String)
        }

        /// When no bytes are the outcome *empty*, and when they are an error.
        package struct EmptyBody: Sendable, Hashable {
            /// What becomes of a body of no bytes that the rules above do not allow.
            package enum Otherwise: String, Sendable, Hashable, CaseIterable {
                case empty, error
            }

            /// The request methods whose responses have no body.
            package var methods = ["HEAD"]
            package var status: StatusSet
            /// What an empty body is for every other method and status: `error` for every type of value, bytes among them.
            package var otherwise = Otherwise.empty

            /// Whether no bytes are expected of such a response.
            package func isExpected(method: String, status code: Int) -> Bool {
                methods.contains(method) || status.contains(code)
            }
        }

        /// What Accept a request sends where its author sets none.
        package enum Accept: String, Sendable, Hashable, CaseIterable {
            /// Worked out from the active entries, and short: a call of a `Decodable` names the types of the entries that can make it up
            /// to the first one of the factory `json`, and without one of these those of the first alone, as a call of any other type
            /// does; a call without a type the concrete types of all entries, in their order, until 120 bytes. Behind them come
            /// `application/problem+json`, where an entry reads it, and `*/*;q=0.1`. Where `noMatch` is `error` there is no `*/*`, so
            /// that a server may refuse what is not named: it is `all` then.
            case derived
            /// The types of all active entries that can make what the call wants, ranges as `text/*` among them.
            case all
            /// None.
            case none
        }

        /// What becomes of a response that no entry covers.
        package var noMatch = Fallback.raw
        /// The same for one without a Content-Type.
        package var missingContentType = Fallback.raw
        /// The same for one whose Content-Type is no media type.
        package var invalidContentType = Fallback.raw
        /// The statuses that are a success where the request does not say.
        package var acceptableStatus = StatusSet.successful
        package var empty: EmptyBody
        /// The largest body of any response, in bytes after content decoding.
        package var maximumBodyBytes = 64 << 20
        /// What `Accept` is where the caller sets none.
        package var accept = Accept.derived
        /// The media type of a value that is sent, unless the call or a field of the request says one.
        package var requestContentType: MediaType = "application/json"

        /// The policy of a manifest that says nothing.
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
            "accept: \(accept)", "requestContentType: \(requestContentType)",
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
