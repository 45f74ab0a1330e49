import PatchbayPlatform

/// The changes that one request makes to the `Decision` about its response.
package struct LookupOverride: Sendable {
    /// The serializer of a response with an acceptable status, chosen without matching.
    package enum Using: Sendable {
        /// The entry with this id, whatever its types and statuses are.
        case entry(String)
        /// A serializer that the request sets.
        case serializer(any ResponseSerializer)
    }

    /// The changes in one block of memory, because each decision holds a copy.
    private final class Changes: Sendable {
        let using: Using?
        let excluding: Set<String>
        let acceptableStatus: StatusSet?
        let maximumBodyBytes: Int?
        let listSize: ListSize?

        init(
            _ using: Using?, _ excluding: Set<String>, _ acceptableStatus: StatusSet?, _ maximumBodyBytes: Int?,
            _ listSize: ListSize?
        ) {
            (self.using, self.excluding, self.acceptableStatus) = (using, excluding, acceptableStatus)
            (self.maximumBodyBytes, self.listSize) = (maximumBodyBytes, listSize)
        }
    }

    /// Nil for a request without changes, which is the common case.
    private let changes: Changes?

    /// Arguments that are left out change nothing.
    package init(
        using: Using? = nil, excluding: Set<String> = [], acceptableStatus: StatusSet? = nil,
        maximumBodyBytes: Int? = nil, listSize: ListSize? = nil
    ) {
        let isNone =
            using == nil && excluding.isEmpty && acceptableStatus == nil && maximumBodyBytes == nil && listSize == nil
        changes = isNone ? nil : Changes(using, excluding, acceptableStatus, maximumBodyBytes, listSize)
    }

    /// The entry or serializer to use without matching; nil if the registry chooses.
    package var using: Using? { changes?.using }

    /// The ids of entries that the registry must not use, for error bodies as well.
    package var excluding: Set<String> { changes?.excluding ?? [] }

    package var acceptableStatus: StatusSet? {
        get { changes?.acceptableStatus }
        set {
            self = LookupOverride(
                using: using, excluding: excluding, acceptableStatus: newValue, maximumBodyBytes: maximumBodyBytes,
                listSize: listSize)
        }
    }

    /// The limit for the body, or for one element, that replaces the limits of entry and policy; nil if these apply.
    package var maximumBodyBytes: Int? { changes?.maximumBodyBytes }

    /// Counts the elements that are gathered from all parts of a body, if this is the decision about one part; otherwise
    /// nil.
    var listSize: ListSize? { changes?.listSize }

    var isNone: Bool { changes == nil }

    /// Whether a status is acceptable; nil if the policy of the registry decides.
    func accepts(_ status: Int) -> Bool? { changes?.acceptableStatus?.contains(status) }

    func excludes(_ id: String) -> Bool { changes?.excluding.contains(id) ?? false }

    package static var none: LookupOverride { LookupOverride() }
}

extension LookupOverride: CustomStringConvertible, CustomReflectable {
    /// `using the entry json, without text, accepting 2XX, 404, at most 8 bytes`
    package var description: String {
        let parts = [
            using.map { "using \($0)" },
            excluding.isEmpty ? nil : "without \(excluding.inOrder().joined(separator: ", "))",
            acceptableStatus.map { "accepting \($0)" }, maximumBodyBytes.map { "at most \(ByteCount($0))" },
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
