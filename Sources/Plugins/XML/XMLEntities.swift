/// The entities that a document itself declares, and the text of each.
///
/// References are replaced by this text before a parser reads the document. The text is written so that it can't become
/// markup. An entity whose text is markup is refused.
struct XMLEntities {
    /// The replacement text of each entity (XML 1.0, section 4.5). Character references in it are resolved, and entity
    /// references are not.
    private var replacements: [[UInt8]: [UInt8]] = [:]
    private var expansions: [[UInt8]: [UInt8]] = [:]
    private var open: Set<[UInt8]> = []
    /// The number of bytes that all expansions together are still allowed to take. The text of a nested entity counts
    /// at each level, since each expansion is kept. Set it before the first expansion.
    var room = 0

    /// The maximum nesting of entities. Their expansion recurses, which must not exhaust the stack.
    private static let maximumDepth = 64

    var isEmpty: Bool { replacements.isEmpty }

    /// Adds one declaration. If a name is declared twice, the first declaration is used. Returns false if a character
    /// reference in the declaration is broken.
    mutating func declare(_ name: [UInt8], _ literal: [UInt8]) -> Bool {
        guard let replacement = Self.resolvingCharacters(in: literal) else { return false }
        if replacements[name] == nil { replacements[name] = replacement }
        return true
    }

    /// The text that replaces a reference to the entity, with its white space unchanged; nil if the entity is not
    /// declared, or is predefined by XML.
    /// - Throws: the failure, without line and column.
    mutating func expansion(of name: [UInt8], limit: Int) throws(XMLFailure) -> [UInt8]? {
        guard let replacement = replacements[name], !Self.isPredefined(name) else { return nil }
        if let known = expansions[name] { return known }
        guard open.insert(name).inserted else {
            throw XMLFailure(.notWellFormed, "its entities refer to each other without end")
        }
        guard open.count <= Self.maximumDepth else {
            throw XMLFailure(.notWellFormed, "its entities are nested more than \(Self.maximumDepth) deep")
        }
        defer { open.remove(name) }
        var text: [UInt8] = []
        var position = 0
        while position < replacement.count {
            let (byte, before) = (replacement[position], text.count)
            switch byte {
            case UInt8(ascii: "<"): throw XMLFailure(.doctype, "it uses an entity that stands for markup")
            case UInt8(ascii: "&"):
                guard let end = replacement[position...].firstIndex(of: UInt8(ascii: ";")) else {
                    throw XMLFailure(.notWellFormed, "an entity reference does not end with a semicolon")
                }
                let inner = Array(replacement[(position + 1)..<end])
                text += try expansion(of: inner, limit: limit) ?? Array(replacement[position...end])
                position = end
            case UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): text += "&#\(byte);".utf8
            default: text.append(byte)
            }
            room -= text.count - before
            guard text.count <= limit, room >= 0 else { throw Self.tooLong }
            position += 1
        }
        expansions[name] = text
        return text
    }

    /// Writes an expansion so that the parser reads the text of the entity from it. All line ends of the document are
    /// already line feeds, so a carriage return comes from a character reference in the declaration and is kept (XML
    /// 1.0, section 2.11). In an attribute, each white space character is a space (section 3.3.3).
    static func writing(_ expansion: [UInt8], inAttribute: Bool) -> [UInt8] {
        guard expansion.contains(where: { XMLCursor.isSpace($0) && $0 != 0x20 }) else { return expansion }
        if inAttribute { return expansion.map { XMLCursor.isSpace($0) ? 0x20 : $0 } }
        return expansion.flatMap { $0 == 0x0D ? Array("&#13;".utf8) : [$0] }
    }

    static let beyondFive =
        #"it uses an entity that is not one of XML's five; "#
        + #"the option "doctype": "allow" puts those in place that it declares"#
    static let tooLong = XMLFailure(.characters, "it stands for more text than a body of its size may")

    static func isPredefined(_ name: some Sequence<UInt8>) -> Bool {
        ["lt", "gt", "amp", "apos", "quot"].contains { name.elementsEqual($0.utf8) }
    }

    private static func resolvingCharacters(in literal: [UInt8]) -> [UInt8]? {
        var text: [UInt8] = []
        var position = 0
        while position < literal.count {
            guard literal[position...].starts(with: "&#".utf8) else {
                text.append(literal[position])
                position += 1
                continue
            }
            guard let end = literal[position...].firstIndex(of: UInt8(ascii: ";")), end - position <= 12 else {
                return nil
            }
            let digits = String(decoding: literal[(position + 2)..<end], as: UTF8.self)
            let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let value, let scalar = Unicode.Scalar(value), value >= 0x20 || [0x09, 0x0A, 0x0D].contains(value)
            else {
                return nil
            }
            text += Character(scalar).utf8
            position = end + 1
        }
        return text
    }
}

/// Counts the output of a parser against the limits.
package struct XMLBudget {
    private let limits: XMLLimits
    private var charactersLeft: Int
    package private(set) var depth = 0
    private var rootSeen = false

    /// - Parameter text: the text that is parsed. Without a text, no character is allowed.
    package init(_ text: XMLText? = nil) {
        limits = text?.limits ?? XMLLimits()
        charactersLeft = text?.maximumCharacters ?? 0
    }

    package var isComplete: Bool { rootSeen && depth == 0 }

    /// Counts a start tag with this many attributes, whose values have this many bytes.
    /// - Throws: the failure, without line and column.
    package mutating func start(attributes: Int, bytes: Int) throws(XMLFailure) {
        rootSeen = true
        depth += 1
        guard depth <= limits.maximumDepth else {
            throw XMLFailure(.depth, "its elements are nested more than \(limits.maximumDepth) deep")
        }
        guard attributes <= limits.maximumAttributes else {
            throw XMLFailure(.attributes, "an element has more than \(limits.maximumAttributes) attributes")
        }
        try take(bytes)
    }

    package mutating func end() { depth -= 1 }

    /// Counts this many bytes of text, of a comment or of an instruction.
    /// - Throws: the failure, without line and column.
    package mutating func take(_ bytes: Int) throws(XMLFailure) {
        guard bytes <= charactersLeft else { throw XMLEntities.tooLong }
        charactersLeft -= bytes
    }
}
