import Patchbay

/// Parts of the documents that commands print.
extension JSON {
    /// A text; null for nil.
    init(orNull text: String?) { self = text.map { JSON($0) } ?? .null }

    /// A number; null for nil.
    init(orNull number: (some BinaryInteger)?) { self = number.map { JSON($0) } ?? .null }

    static func list(_ texts: some Sequence<String>) -> JSON { .array(texts.map { JSON($0) }) }

    /// An object of the members that are there.
    static func object(ifAny members: [(String, JSON?)]) -> JSON {
        .object(members.compactMap { name, value in value.map { (name, $0) } })
    }

    /// An object with more members.
    func adding(_ members: [(String, JSON)]) -> JSON { .object((object ?? []).map { ($0.key, $0.value) } + members) }
}
