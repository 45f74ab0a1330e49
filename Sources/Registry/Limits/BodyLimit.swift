// How large a body, or one element of it, may be: by the request, the entry or the policy, whichever is smallest. What arrives is held
// against it in Manager/Call/ResponseReceiver, before there is memory for it.

/// How many bytes a body may have, counted after content decoding, and who says so.
package struct BodyLimit: Sendable, Hashable {
    /// Who allows no more.
    package enum Owner: Sendable, Hashable {
        case request
        /// The entry of this id.
        case entry(String)
        case policy
    }

    package let bytes: Int
    package let owner: Owner

    private init(_ bytes: Int, _ owner: Owner) {
        self.bytes = bytes
        self.owner = owner
    }

    /// The limit of every body under a policy.
    init(_ policy: SerializerRegistry.Policy) { self.init(policy.maximumBodyBytes, .policy) }

    /// The limit of a body that is for no entry and no policy to judge: what the request allows, or any number of bytes.
    package init(ofRequest bytes: Int?) { self.init(bytes ?? .max, .request) }

    /// The request's own limit where that is smaller, else this one.
    package func capped(byRequest bytes: Int?) -> BodyLimit {
        guard let bytes, bytes < self.bytes else { return self }
        return BodyLimit(bytes, .request)
    }

    /// The limit of the serializer's entry where that is smaller, else this one.
    func capped(by serializer: BoundSerializer) -> BodyLimit {
        guard let bytes = serializer.maximumBodyBytes, bytes < self.bytes else { return self }
        return BodyLimit(bytes, .entry(serializer.name))
    }

    /// Holds a body of so many bytes to it.
    func check(_ count: Int) throws(BodyLimitFailure) {
        guard count <= bytes else { throw exceeded }
    }

    var exceeded: BodyLimitFailure { BodyLimitFailure(limit: bytes) }
}

extension BodyLimit: CustomStringConvertible {
    /// `8 bytes, the limit of entry words`
    package var description: String {
        let name =
            switch owner {
            case .request: "the request"
            case .entry(let id): "entry \(id)"
            case .policy: "the policy"
            }
        return "\(bytes) bytes, the limit of \(name)"
    }
}

extension Decision {
    /// How many bytes of the body are worth receiving: beyond that no candidate takes it, nor does the policy.
    public var bodyLimit: Int { limit.bytes }

    /// How many bytes of the body a request receives that may have a limit of its own.
    package func limit(cappedBy request: Int?) -> BodyLimit { limit.capped(byRequest: request) }

    /// How many bytes one candidate takes: of the whole body, or in a stream of elements, which has no limit as a whole, of one element.
    func limit(of candidate: BoundSerializer) -> BodyLimit { BodyLimit(policy).capped(by: candidate) }

    private var limit: BodyLimit {
        guard let first = plan.first, !mayEndInBytes else { return BodyLimit(policy) }
        return candidates.dropFirst().reduce(limit(of: first)) { largest, candidate in
            let limit = limit(of: candidate)
            return limit.bytes > largest.bytes ? limit : largest
        }
    }

    /// Whether the bytes can be the value where no candidate takes them.
    private var mayEndInBytes: Bool {
        if wanted.kind == .anything, candidates.contains(where: { $0.onFailure == .raw }) { return true }
        guard !plan.isClosed else { return false }
        return switch plan.ending {
        case .raw, .bytes: true
        // After a failed attempt a typed call ends with that failure.
        case .text, .failure: false
        }
    }
}

/// A body has more bytes than an entry, or the policy, allows.
public struct BodyLimitFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The largest body allowed, in bytes after content decoding.
    public let limit: Int

    /// A body that has more than `limit` bytes.
    public init(limit: Int) { self.limit = limit }

    public var description: String { "the body has more than the \(limit) bytes that are allowed" }
}

/// One element takes more bytes than are allowed.
public struct ElementLimitFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// How many bytes of the body one may take.
    public let limit: Int

    /// For a parser of your own: `limit` is the number that `makeParser` was given.
    public init(limit: Int) { self.limit = limit }

    public var description: String { "an element is longer than \(limit) bytes" }
}
