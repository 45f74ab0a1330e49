import PatchbayPlatform

/// What one request changes about the look-up of its response.
package struct LookupOverride: Sendable {
    /// What serializes the response, without matching, where its status is acceptable.
    package enum Using: Sendable {
        /// The entry of this id, whatever its types and statuses are.
        case entry(String)
        /// A serializer of the request's own.
        case serializer(any ResponseSerializer)
    }

    /// What is changed, in one block of memory, because every decision is copied with its override.
    private final class Changes: Sendable {
        let using: Using?
        let excluding: Set<String>
        let acceptableStatus: StatusSet?

        init(_ using: Using?, _ excluding: Set<String>, _ acceptableStatus: StatusSet?) {
            self.using = using
            self.excluding = excluding
            self.acceptableStatus = acceptableStatus
        }
    }

    /// Nil where nothing is changed, as in most requests.
    private let changes: Changes?

    /// What is left out is as the registry has it.
    package init(using: Using? = nil, excluding: Set<String> = [], acceptableStatus: StatusSet? = nil) {
        let isNone = using == nil && excluding.isEmpty && acceptableStatus == nil
        changes = isNone ? nil : Changes(using, excluding, acceptableStatus)
    }

    /// The entry or serializer to use without matching; nil: the registry chooses.
    package var using: Using? {
        get { changes?.using }
        set { self = LookupOverride(using: newValue, excluding: excluding, acceptableStatus: acceptableStatus) }
    }

    /// Ids that are taken out of the table before matching. Error bodies go without them too.
    package var excluding: Set<String> {
        get { changes?.excluding ?? [] }
        set { self = LookupOverride(using: using, excluding: newValue, acceptableStatus: acceptableStatus) }
    }

    package var acceptableStatus: StatusSet? {
        get { changes?.acceptableStatus }
        set { self = LookupOverride(using: using, excluding: excluding, acceptableStatus: newValue) }
    }

    var isNone: Bool { changes == nil }

    /// Whether a status is acceptable; nil where that is the policy's to say.
    func accepts(_ status: Int) -> Bool? { changes?.acceptableStatus?.contains(status) }

    func excludes(_ id: String) -> Bool { changes?.excluding.contains(id) ?? false }

    package static var none: LookupOverride { LookupOverride() }
}

extension LookupOverride: CustomStringConvertible, CustomReflectable {
    /// `using the entry json, without text, accepting 2XX, 404`
    package var description: String {
        let parts = [
            using.map { "using \($0)" },
            excluding.isEmpty ? nil : "without \(excluding.sorted().joined(separator: ", "))",
            acceptableStatus.map { "accepting \($0)" },
        ].compactMap(\.self)
        return parts.isEmpty ? "no change" : parts.joined(separator: ", ")
    }
    package var customMirror: Mirror { Mirror(described: self) }
}

extension LookupOverride.Using: CustomStringConvertible, CustomReflectable {
    package var description: String {
        switch self {
        case .entry(let id): "the entry \(id)"
        case .serializer(let serializer): "\(type(of: serializer))"
        }
    }
    package var customMirror: Mirror { Mirror(described: self) }
}
