/// The entities that a document declares for itself, and the text that each stands for.
///
/// Their text is put in place of the references before any parser sees the document, written so that it can be nothing but text.
/// An entity that stands for markup is refused.
struct XMLEntities {
    /// The replacement text of each (XML 1.0, section 4.5): character references resolved, entity references not.
    private var replacements: [[UInt8]: [UInt8]] = [:]
    private var expansions: [[UInt8]: [UInt8]] = [:]
    private var open: Set<[UInt8]> = []
    /// How many bytes may still be written in all, the text of entities inside of entities counted at each level, since each is
    /// kept; to be set before the first expansion.
    var room = 0

    /// How many entities may stand inside each other: their expansion recurses, and must not be able to exhaust the stack.
    private static let maximumDepth = 64

    var isEmpty: Bool { replacements.isEmpty }

    /// Takes in one declaration; the first of a name counts. False where a character reference in it is broken.
    mutating func declare(_ name: [UInt8], _ literal: [UInt8]) -> Bool {
        guard let replacement = Self.resolvingCharacters(in: literal) else { return false }
        if replacements[name] == nil { replacements[name] = replacement }
        return true
    }

    /// What to put in place of a reference to the entity, its white space as it is; nil where it is not declared, or has its meaning
    /// from XML itself.
    /// - Throws: the failure without a place.
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

    /// An expansion as it has to be written for the parser to make of it what it stands for. All line ends of the document are line
    /// feeds by now, so a carriage return in it comes from a character reference of the declaration, and stays one (XML 1.0,
    /// section 2.11); in an attribute each white space character is a blank (section 3.3.3).
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

/// What a parser has handed on so far, held against the limits.
package struct XMLBudget {
    private let limits: XMLLimits
    private var charactersLeft: Int
    package private(set) var depth = 0
    private var rootSeen = false

    package init(_ text: XMLText) {
        limits = text.limits
        charactersLeft = text.maximumCharacters
    }

    package var isComplete: Bool { rootSeen && depth == 0 }

    /// Takes in a start tag with so many attributes, whose values have so many bytes.
    /// - Throws: the failure without a place.
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

    /// Takes in so many bytes of text, a comment or an instruction.
    /// - Throws: the failure without a place.
    package mutating func take(_ bytes: Int) throws(XMLFailure) {
        guard bytes <= charactersLeft else {
            throw XMLFailure(.characters, "it stands for more text than a body of its size may")
        }
        charactersLeft -= bytes
    }
}
