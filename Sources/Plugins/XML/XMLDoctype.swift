import PatchbayRegistry

/// Reads a document type declaration (XML 1.0, sections 2.8, 3.2, 3.3, 4.2 and 4.7) to its end. If `declares` is true,
/// the reader collects the entities with a value, and the attributes whose values would change.
///
/// A declaration that the reader can't follow is an error, because everything that it reads is removed from the
/// document. libxml2 never gets the declaration, neither directly nor through FoundationXML, which loses the text of
/// entities and ends the process on attributes without a default. The content of literals is skipped unchecked.
struct XMLDoctype {
    private var cursor: XMLCursor
    /// Whether entities are collected, and references outside the document are refused. If false, no declaration has an
    /// effect.
    private let declares: Bool
    private(set) var entities = XMLEntities()
    /// For each element name, the first attribute whose value the declaration would change.
    private(set) var changes: [[UInt8]: AttributeChange] = [:]

    /// An attribute whose value is added or changed by the declaration alone.
    ///
    /// `isDefault` is true if the attribute has a default value (XML 1.0, section 3.3.2). If false, it only has a type
    /// that trims its value (section 3.3.3).
    typealias AttributeChange = (name: [UInt8], isDefault: Bool)

    /// Reads the declaration at the cursor and moves the cursor past it.
    static func read(_ cursor: inout XMLCursor, declares: Bool) throws(XMLFailure) -> XMLDoctype {
        var doctype = XMLDoctype(cursor: cursor, declares: declares)
        try doctype.read()
        cursor = doctype.cursor
        return doctype
    }

    private mutating func read() throws(XMLFailure) {
        cursor.position += 9
        try space()
        try name()
        if cursor.skipSpace(), isExternal { try externalID() }
        cursor.skipSpace()
        if cursor.starts(with: "[") {
            cursor.position += 1
            try subset()
            cursor.skipSpace()
        }
        try take(">")
    }

    private mutating func subset() throws(XMLFailure) {
        while let byte = cursor.byte {
            if cursor.skipSpace() {
                continue
            } else if cursor.starts(with: "<!--") {
                let reason = "a comment is not closed, or holds two hyphens"
                try cursor.skip(4, past: "--", reason)
                guard cursor.starts(with: ">") else { throw cursor.failure(.notWellFormed, reason) }
                cursor.position += 1
            } else if cursor.starts(with: "<?") {
                try cursor.skip(2, past: "?>", "a processing instruction is not closed")
            } else if takes("<!ENTITY") {
                try entity()
            } else if takes("<!ATTLIST") {
                try attributes()
            } else if takes("<!NOTATION") {
                try notation()
            } else if takes("<!ELEMENT") {
                while let byte = cursor.byte, Self.isOfModel(byte) { cursor.position += 1 }
                try take(">")
            } else if byte == UInt8(ascii: "]") {
                cursor.position += 1
                return
            } else if byte == UInt8(ascii: "%") {
                guard !declares else { throw parameterEntity }
                cursor.position += 1
                try name()
                try take(";")
            } else {
                throw cursor.failure(
                    .notWellFormed, "the document type declaration holds something else than declarations")
            }
        }
        throw notClosed
    }

    /// Moves past the keyword `opening` and the space after it, if the cursor is at this keyword. Returns whether it
    /// moved.
    private mutating func takes(_ opening: StaticString) -> Bool {
        guard cursor.starts(with: opening) else { return false }
        var next = cursor
        next.position += opening.utf8CodeUnitCount
        guard next.skipSpace() else { return false }
        cursor = next
        return true
    }

    /// Reads an entity declaration (XML 1.0, section 4.2).
    private mutating func entity() throws(XMLFailure) {
        let isParameter = cursor.starts(with: "%")
        if isParameter {
            guard !declares else { throw parameterEntity }
            cursor.position += 1
            try space()
        }
        let entity = try name()
        try space()
        if isExternal {
            guard !declares else {
                throw cursor.failure(.doctype, "its document type declaration has an entity outside the document")
            }
            try externalID()
            if cursor.skipSpace(), !isParameter, cursor.starts(with: "NDATA") {
                cursor.position += 5
                try space()
                try name()
            }
        } else {
            let value = try literal()
            if declares { try declare(entity, value) }
        }
        cursor.skipSpace()
        try take(">")
    }

    private mutating func declare(_ name: Range<Int>, _ value: Range<Int>) throws(XMLFailure) {
        let bytes = cursor.bytes[value]
        if bytes.contains(UInt8(ascii: "%")) { throw parameterEntity }
        guard entities.declare(Array(cursor.bytes[name]), Array(bytes)) else {
            throw cursor.failure(.notWellFormed, "a character reference is not closed or names no number")
        }
    }

    /// Reads an attribute-list declaration (XML 1.0, section 3.3).
    private mutating func attributes() throws(XMLFailure) {
        let element = try name()
        while cursor.skipSpace(), !cursor.starts(with: ">") {
            let attribute = try name()
            try space()
            var isTokenized = true
            if !cursor.starts(with: "(") {
                let type = try name()
                if cursor.bytes[type].elementsEqual("NOTATION".utf8) { try space() }
                isTokenized = !cursor.bytes[type].elementsEqual("CDATA".utf8)
            }
            if cursor.starts(with: "(") {
                cursor.position += 1
                while let byte = cursor.byte,
                    Self.isOfName(byte) || XMLCursor.isSpace(byte) || byte == UInt8(ascii: "|")
                {
                    cursor.position += 1
                }
                try take(")")
            }
            try space()
            let isDefault = try attributeDefault()
            if declares, isDefault || isTokenized {
                note((name: Array(cursor.bytes[attribute]), isDefault: isDefault), of: element)
            }
        }
        try take(">")
    }

    /// One attribute is enough to refuse an element. A second declaration of an attribute, which XML ignores, is noted
    /// as well: distinguishing it from the first would mean keeping every name.
    private mutating func note(_ change: AttributeChange, of element: Range<Int>) {
        let element = Array(cursor.bytes[element])
        if changes[element] == nil { changes[element] = change }
    }

    /// Reads the default of an attribute (XML 1.0, section 3.3.2). Returns whether there is a default value.
    private mutating func attributeDefault() throws(XMLFailure) -> Bool {
        for keyword in ["#REQUIRED", "#IMPLIED"] as [StaticString] where cursor.starts(with: keyword) {
            cursor.position += keyword.utf8CodeUnitCount
            return false
        }
        if cursor.starts(with: "#FIXED") {
            cursor.position += 6
            try space()
        }
        try literal()
        return true
    }

    /// Reads a notation declaration (XML 1.0, section 4.7).
    private mutating func notation() throws(XMLFailure) {
        try name()
        try space()
        try externalID(needsSystem: false)
        cursor.skipSpace()
        try take(">")
    }

    private var isExternal: Bool { cursor.starts(with: "SYSTEM") || cursor.starts(with: "PUBLIC") }

    /// Reads an external identifier. A notation can have a public identifier alone (XML 1.0, sections 4.2.2 and 4.7).
    private mutating func externalID(needsSystem: Bool = true) throws(XMLFailure) {
        guard isExternal else { throw broken }
        let isPublic = cursor.starts(with: "PUBLIC")
        cursor.position += 6
        try space()
        try literal()
        guard isPublic else { return }
        var next = cursor
        guard next.skipSpace(), next.starts(with: "\"") || next.starts(with: "'") else {
            if needsSystem { throw broken }
            return
        }
        cursor = next
        try literal()
    }

    // MARK: Tokens

    /// Reads a name, or any other sequence of name characters.
    @discardableResult
    private mutating func name() throws(XMLFailure) -> Range<Int> {
        let start = cursor.position
        while let byte = cursor.byte, Self.isOfName(byte) { cursor.position += 1 }
        guard cursor.position > start else { throw broken }
        return start..<cursor.position
    }

    private mutating func space() throws(XMLFailure) {
        guard cursor.skipSpace() else { throw broken }
    }

    /// Reads a literal in quotes. Returns the range of the text between the quotes.
    @discardableResult
    private mutating func literal() throws(XMLFailure) -> Range<Int> {
        guard let quote = cursor.byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw broken }
        let start = cursor.position + 1
        guard let end = cursor.index(of: quote, from: start) else { throw notClosed }
        cursor.position = end + 1
        return start..<end
    }

    private mutating func take(_ text: StaticString) throws(XMLFailure) {
        guard cursor.starts(with: text) else { throw broken }
        cursor.position += text.utf8CodeUnitCount
    }

    /// Every byte beyond ASCII is treated as part of a name. This doesn't change the position at which a name ends.
    static func isOfName(_ byte: UInt8) -> Bool {
        FieldByte.isLetterOrDigit(byte) || byte >= 0x80 || "_:.-".utf8.contains(byte)
    }

    /// The characters of the name and the content model of an element (XML 1.0, section 3.2).
    private static func isOfModel(_ byte: UInt8) -> Bool {
        isOfName(byte) || XMLCursor.isSpace(byte) || "()|,?*+#".utf8.contains(byte)
    }

    private var notClosed: XMLFailure {
        cursor.failure(.notWellFormed, "the document type declaration is not closed")
    }

    /// At the end of the document the declaration is only not closed, not broken.
    private var broken: XMLFailure {
        guard cursor.byte != nil else { return notClosed }
        return cursor.failure(.notWellFormed, "the document type declaration is broken")
    }

    private var parameterEntity: XMLFailure {
        cursor.failure(.doctype, "its document type declaration has a parameter entity")
    }
}
