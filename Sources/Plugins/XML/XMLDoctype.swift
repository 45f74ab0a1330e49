/// Reads a document type declaration (XML 1.0, section 2.8), and gathers the entities that it declares.
///
/// Only entities with a value count: declarations of elements, attributes and notations are passed over, and what reaches
/// outside the document is refused. The declaration itself never gets to libxml2, neither directly nor through FoundationXML,
/// whose handling of it loses the text of entities, and which ends the process on attributes without a default.
struct XMLDoctype {
    private var cursor: XMLCursor
    private let allowsSubset: Bool
    private var entities = XMLEntities()

    /// Reads the declaration at the cursor, which is then behind it.
    static func read(_ cursor: inout XMLCursor, allowsSubset: Bool) throws(XMLFailure) -> XMLEntities {
        var doctype = XMLDoctype(cursor: cursor, allowsSubset: allowsSubset)
        try doctype.read()
        cursor = doctype.cursor
        return doctype.entities
    }

    private init(cursor: XMLCursor, allowsSubset: Bool) {
        self.cursor = cursor
        self.allowsSubset = allowsSubset
    }

    private mutating func read() throws(XMLFailure) {
        let start = cursor.position
        cursor.position += 9
        while let byte = cursor.byte {
            if byte == UInt8(ascii: "[") {
                guard allowsSubset else {
                    throw cursor.failure(
                        .doctype, "its document type declaration has an internal subset, which is not allowed here")
                }
                cursor.position += 1
                try readSubset()
            } else if byte == UInt8(ascii: ">") {
                cursor.position += 1
                return
            } else if byte == UInt8(ascii: "<") {
                break
            } else {
                try skipToken()
            }
        }
        cursor.position = start
        throw notClosed
    }

    private mutating func readSubset() throws(XMLFailure) {
        while let byte = cursor.byte {
            if cursor.skipSpace() {
                continue
            } else if cursor.starts(with: "<!--") {
                try cursor.skip(4, past: "-->", "a comment is not closed")
            } else if cursor.starts(with: "<?") {
                try cursor.skip(2, past: "?>", "a processing instruction is not closed")
            } else if cursor.starts(with: "<!ENTITY") {
                try readEntity()
            } else if cursor.starts(with: "<!") {
                while let byte = cursor.byte, byte != UInt8(ascii: ">") { try skipToken() }
                cursor.position += 1
            } else if byte == UInt8(ascii: "]") {
                cursor.position += 1
                return
            } else if byte == UInt8(ascii: "%") {
                throw parameterEntity
            } else {
                throw cursor.failure(
                    .notWellFormed, "the document type declaration holds something else than declarations")
            }
        }
        throw notClosed
    }

    /// XML 1.0, section 4.2.
    private mutating func readEntity() throws(XMLFailure) {
        cursor.position += 8
        guard cursor.skipSpace() else { throw cursor.failure(.notWellFormed, "a space is missing") }
        if cursor.byte == UInt8(ascii: "%") { throw parameterEntity }
        let start = cursor.position
        while let byte = cursor.byte, !XMLCursor.isSpace(byte), byte != UInt8(ascii: ">") { cursor.position += 1 }
        let name = Array(cursor.bytes[start..<cursor.position])
        guard cursor.skipSpace() else { throw cursor.failure(.notWellFormed, "a space is missing") }
        if cursor.starts(with: "SYSTEM") || cursor.starts(with: "PUBLIC") {
            throw cursor.failure(.doctype, "its document type declaration has an entity outside the document")
        }
        guard let quote = cursor.byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = cursor.index(of: quote, from: cursor.position + 1)
        else { throw cursor.failure(.notWellFormed, "an entity has no value") }
        let value = cursor.bytes[(cursor.position + 1)..<end]
        if value.contains(UInt8(ascii: "%")) { throw parameterEntity }
        guard entities.declare(name, Array(value)) else {
            throw cursor.failure(.notWellFormed, "a character reference is not closed or names no number")
        }
        cursor.position = end + 1
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: ">") else {
            throw cursor.failure(.notWellFormed, "the declaration of an entity is not closed")
        }
        cursor.position += 1
    }

    /// Goes on behind a quoted string, or one byte.
    private mutating func skipToken() throws(XMLFailure) {
        guard let byte = cursor.byte, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
            cursor.position += 1
            return
        }
        guard let end = cursor.index(of: byte, from: cursor.position + 1) else { throw notClosed }
        cursor.position = end + 1
    }

    private var notClosed: XMLFailure {
        cursor.failure(.notWellFormed, "the document type declaration is not closed")
    }

    private var parameterEntity: XMLFailure {
        cursor.failure(.doctype, "its document type declaration has a parameter entity")
    }
}
