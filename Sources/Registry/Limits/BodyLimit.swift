package import PatchbayJSON

// The size limit of a body, or of one element: the limit of the request, or else the smaller one of entry and policy.
// Manager/Call/Exchange applies it before memory is allocated.

/// The limit of a body in bytes after content decoding, with its owner.
package struct BodyLimit: Sendable, Hashable {
    /// The owner of the limit.
    package enum Owner: Sendable, Hashable {
        case request
        /// The entry with this id.
        case entry(String)
        case policy
    }

    package let bytes: Int
    package let owner: Owner

    private init(_ bytes: Int, _ owner: Owner) {
        self.bytes = bytes
        self.owner = owner
    }

    /// The limit of a policy for all bodies.
    package init(_ policy: SerializerRegistry.Policy) { self.init(policy.maximumBodyBytes, .policy) }

    /// The limit of a request, which counts whatever entry and policy say; nil for no limit.
    package init(ofRequest bytes: Int?) { self.init(max(bytes ?? .max, 0), .request) }

    /// The limit of the serializer's entry if it is smaller than this one, otherwise this limit.
    package func capped(by serializer: BoundSerializer) -> BodyLimit {
        guard let bytes = serializer.maximumBodyBytes, bytes < self.bytes else { return self }
        return BodyLimit(bytes, .entry(serializer.name))
    }

    func check(_ count: Int) throws(BodyLimitFailure) {
        guard count <= bytes else { throw exceeded }
    }

    var exceeded: BodyLimitFailure { BodyLimitFailure(limit: bytes) }
}

extension BodyLimit: CustomStringConvertible {
    /// `8 bytes, the limit of entry words (maxBodyBytes)`
    package var description: String { "\(bytes) bytes, the limit of \(ownerName)" }

    /// The owner in a sentence, with the name of the setting.
    var ownerName: String {
        switch owner {
        case .request: "the request (maximumBodyBytes)"
        case .entry(let id): "entry \(id) (maxBodyBytes)"
        case .policy: "the policy (maxBodyBytes)"
        }
    }
}

extension Decision {
    /// The largest body that the request allows or, if it sets no limit, a serializer of `plan` or the policy, in bytes.
    package var bodyLimit: Int { limit.bytes }

    /// The limit of the serializer `candidate`. In a stream, the limit applies to one element, because the body as a
    /// whole has no limit.
    func limit(of candidate: BoundSerializer) -> BodyLimit { ownLimit ?? BodyLimit(policy).capped(by: candidate) }

    /// The limit of bytes that no serializer limits.
    var limitOfBytes: BodyLimit { ownLimit ?? BodyLimit(policy) }

    /// The limit of the request; nil if it sets none.
    private var ownLimit: BodyLimit? { override.maximumBodyBytes.map { BodyLimit(ofRequest: $0) } }

    /// The limit of the body, with its owner.
    package var limit: BodyLimit {
        guard let first = plan.first, !mayEndInBytes else { return limitOfBytes }
        return planned.dropFirst().reduce(limit(of: first)) { largest, candidate in
            let limit = limit(of: candidate)
            return limit.bytes > largest.bytes ? limit : largest
        }
    }

    /// Whether the bytes can be the value if no serializer of `plan` accepts them.
    private var mayEndInBytes: Bool {
        if wanted.kind == .anything, planned.contains(where: { $0.onFailure == .raw }) { return true }
        guard !plan.isClosed else { return false }
        return switch plan.ending {
        case .raw, .bytes: true
        // If a serializer of `plan` fails, a typed call ends with its failure.
        case .text, .failure: false
        }
    }
}

/// A body exceeds the limit of an entry or of the policy.
package struct BodyLimitFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The limit, in bytes after content decoding.
    package let limit: Int

    package var description: String { "the body has more than the \(limit) bytes that are allowed" }
}

extension BodyLimitFailure: FormatFault {
    package var formatFailure: FormatFailure {
        FormatFailure(self, "body", .limit, description)
    }
}

/// An element exceeds its limit.
package struct ElementLimitFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The limit for one element, in bytes of the body.
    package let limit: Int
    /// The owner of the limit in a sentence; nil if unknown.
    private let owner: String?

    package init(limit: Int, owner: String? = nil) { (self.limit, self.owner) = (limit, owner) }

    package var description: String {
        "an element is longer than \(limit) bytes" + (owner.map { ", the limit of \($0)" } ?? "")
    }

    /// This failure with the owner of `given`, if this failure has no owner yet and both limits are equal.
    func named(_ given: BodyLimit) -> ElementLimitFailure {
        owner == nil && limit == given.bytes ? ElementLimitFailure(limit: limit, owner: given.ownerName) : self
    }
}

extension ElementLimitFailure: FormatFault {
    package var formatFailure: FormatFailure {
        FormatFailure(self, "body", .limit, description)
    }
}

/// The limit of one element, with its owner.
package struct ElementLimit: Sendable, Hashable {
    package let bytes: Int
    /// The owner in a sentence, such as `its option maxLineBytes`; nil for a limit that the creator of the parser
    /// passed.
    private let owner: String?

    /// The limit that the creator of the parser passed.
    package init(_ bytes: Int) { (self.bytes, owner) = (bytes, nil) }

    /// The limit of the format or of an option, unless the creator of the parser passed a smaller one.
    package init(_ bytes: Int, of owner: String, cappedBy given: Int) {
        (self.bytes, self.owner) = bytes <= given ? (bytes, owner) : (given, nil)
    }

    package var exceeded: ElementLimitFailure { ElementLimitFailure(limit: bytes, owner: owner) }
}
