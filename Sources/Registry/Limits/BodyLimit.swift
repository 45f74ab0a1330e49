package import PatchbayJSON

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
    package init(_ policy: SerializerRegistry.Policy) { self.init(policy.maximumBodyBytes, .policy) }

    /// The limit of a body that is for no entry and no policy to judge: what the request allows, or any number of bytes.
    package init(ofRequest bytes: Int?) { self.init(bytes ?? .max, .request) }

    /// The request's own limit where that is smaller, else this one.
    package func capped(byRequest bytes: Int?) -> BodyLimit {
        guard let bytes, bytes < self.bytes else { return self }
        return BodyLimit(bytes, .request)
    }

    /// The limit of the serializer's entry where that is smaller, else this one.
    package func capped(by serializer: BoundSerializer) -> BodyLimit {
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
    /// `8 bytes, the limit of entry words (maxBodyBytes)`
    package var description: String { "\(bytes) bytes, the limit of \(ownerName)" }

    /// Who allows no more, and by which name it is raised.
    var ownerName: String {
        switch owner {
        case .request: "the request (maximumBodyBytes)"
        case .entry(let id): "entry \(id) (maxBodyBytes)"
        case .policy: "the policy (maxBodyBytes)"
        }
    }
}

extension Decision {
    /// The size of the largest body that a candidate or the policy takes, in bytes.
    package var bodyLimit: Int { limit.bytes }

    /// How many bytes of the body a request receives that may have a limit of its own.
    package func limit(cappedBy request: Int?) -> BodyLimit { limit.capped(byRequest: request) }

    /// How many bytes one candidate takes: of the whole body, or in a stream of elements, which has no limit as a whole, of one element.
    func limit(of candidate: BoundSerializer) -> BodyLimit { BodyLimit(policy).capped(by: candidate) }

    private var limit: BodyLimit {
        guard let first = plan.first, !mayEndInBytes else { return BodyLimit(policy) }
        return planned.dropFirst().reduce(limit(of: first)) { largest, candidate in
            let limit = limit(of: candidate)
            return limit.bytes > largest.bytes ? limit : largest
        }
    }

    /// Whether the bytes can be the value where no candidate takes them.
    private var mayEndInBytes: Bool {
        if wanted.kind == .anything, planned.contains(where: { $0.onFailure == .raw }) { return true }
        guard !plan.isClosed else { return false }
        return switch plan.ending {
        case .raw, .bytes: true
        // After a failed attempt a typed call ends with that failure.
        case .text, .failure: false
        }
    }
}

/// A body has more bytes than an entry, or the policy, allows.
package struct BodyLimitFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The largest body allowed, in bytes after content decoding.
    package let limit: Int

    package var description: String { "the body has more than the \(limit) bytes that are allowed" }
}

extension BodyLimitFailure: FormatFault {
    package var formatFailure: FormatFailure {
        FormatFailure(self, "body", .limit, description)
    }
}

/// One element takes more bytes than are allowed.
package struct ElementLimitFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// How many bytes of the body one may take.
    package let limit: Int
    /// Who allows no more, as a sentence names it; nil where that is not known.
    private let owner: String?

    package init(limit: Int, owner: String? = nil) { (self.limit, self.owner) = (limit, owner) }

    package var description: String {
        "an element is longer than \(limit) bytes" + (owner.map { ", the limit of \($0)" } ?? "")
    }

    /// The same, naming who gave the parser its limit, where it is that one that counted.
    func named(_ given: BodyLimit) -> ElementLimitFailure {
        owner == nil && limit == given.bytes ? ElementLimitFailure(limit: limit, owner: given.ownerName) : self
    }
}

extension ElementLimitFailure: FormatFault {
    package var formatFailure: FormatFailure {
        FormatFailure(self, "body", .limit, description)
    }
}

/// How many bytes one element may have, and who allows no more.
package struct ElementLimit: Sendable, Hashable {
    package let bytes: Int
    /// As a sentence names it: `its option maxLineBytes`; nil: whoever gave the parser its limit.
    private let owner: String?

    /// What the parser was given.
    package init(_ bytes: Int) { (self.bytes, owner) = (bytes, nil) }

    /// What the format, or an option of the entry, allows, where the parser was not given less.
    package init(_ bytes: Int, of owner: String, cappedBy given: Int) {
        (self.bytes, self.owner) = bytes <= given ? (bytes, owner) : (given, nil)
    }

    package var exceeded: ElementLimitFailure { ElementLimitFailure(limit: bytes, owner: owner) }
}
