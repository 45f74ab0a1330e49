package import PatchbayJSON

package struct XMLFailure: Error, Sendable, Hashable {
    package enum Code: String, Sendable {
        case encoding
        /// A document type declaration that is not allowed or that reaches outside the document, an entity that only a
        /// skipped declaration could have declared, or an attribute whose value an allowed declaration would change.
        case doctype
        case depth, attributes, characters, nodes, noRootElement, notWellFormed, aborted
        /// libxml2 is missing, so no document can be read.
        case library
    }

    package let code: Code
    /// The reason in plain words. It contains none of the document's text except names of elements and attributes.
    package let reason: String
    /// The line, counted from 1; nil if the position is unknown.
    package let line: Int?
    /// The column in the line, in bytes counted from 1.
    package let column: Int?

    package init(_ code: Code, _ reason: String, line: Int? = nil, column: Int? = nil) {
        self.code = code
        self.reason = reason
        self.line = line
        self.column = column
    }
}

extension XMLFailure: FormatFault {
    package var formatFailure: FormatFailure {
        let code: FormatFailure.Code =
            switch code {
            case .encoding: .encoding
            case .doctype, .library: .unsupported
            case .depth: .depth
            case .attributes, .characters, .nodes: .limit
            case .noRootElement: .empty
            default: .malformed
            }
        return FormatFailure(self, "xml", code, reason, line: line, column: column)
    }
}

extension XMLFailure: CustomStringConvertible {
    package var description: String {
        guard let line, let column else { return "the XML was refused: \(reason)" }
        return "the XML was refused at line \(line), column \(column): \(reason)"
    }
}

extension XMLFailure {
    /// The failure of a whole body, with the format that the body seems to have.
    func knowing(_ body: UnsafeRawBufferPointer) -> XMLFailure {
        guard code == .notWellFormed || code == .noRootElement || code == .doctype,
            let clause = KnownFormat.clause(for: body, refusedBy: "xml-document")
        else { return self }
        return XMLFailure(code, "\(reason); \(clause)", line: line, column: column)
    }

    /// The failure at an offset in the bytes.
    static func at(_ offset: Int, in bytes: UnsafeRawBufferPointer, _ code: Code, _ reason: String) -> XMLFailure {
        let before = bytes.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return XMLFailure(code, reason, line: line, column: before.count - lineStart + 1)
    }
}

extension XMLFailure {
    /// The failure for an error number of libxml2, with `depth` elements open. The messages of libxml2 aren't used,
    /// because they quote the document.
    package static func libxml(_ number: Int, depth: Int, line: Int?, column: Int?) -> XMLFailure {
        // libxml2 has one number for a truncated document and for a document with content after its root element.
        let number = number == 5 && depth > 0 ? 77 : number
        let code: Code = number == 4 ? .noRootElement : .notWellFormed
        return XMLFailure(code, reason(number), line: line, column: column)
    }

    /// Whether the number says nothing about well-formedness: the number of a warning (xmlerror.h, `XML_WAR_…`).
    /// libxml2 also gives such a number to an error for a namespace that is not a URI, and to an instruction whose name
    /// only begins with `xml`. FoundationXML reports the number without a level.
    package static func isWarning(libxml number: Int) -> Bool {
        // An instruction named `xml` has the same number, 64, but XMLMarkup has refused it before.
        [27, 64, 93, 97, 98, 99, 100, 102, 106, 107].contains(number)
    }

    private static func reason(_ number: Int) -> String {
        switch number {
        case 4: "there is no root element"
        case 5: "something follows the root element"
        case 6, 7, 8: "a character reference is not closed or names no number"
        case 9: "there is a character that XML does not allow"
        case 23: "an entity reference does not end with a semicolon"
        case 26: "an entity is used that is not declared"
        case 38: "an attribute value holds a less-than sign"
        case 39, 40: "an attribute value is not in quotes, or its quotes are not closed"
        case 41: "an attribute has no value"
        case 42: "an attribute is given twice"
        case 45, 80: "a comment is not closed, or holds two hyphens"
        case 57, 56, 46, 47: "an XML declaration or a processing instruction is broken"
        case 62: "\"]]>\" stands in text"
        case 65: "a space is missing"
        case 68: "a name is missing"
        case 73: "a tag is not closed"
        case 76: "an end tag does not match its start tag"
        case 77: "the document ends inside an element"
        case 89: "entities refer to each other without end, or grow too large"
        case 201: "a namespace prefix is not declared"
        default: "it is not well-formed (libxml2 error \(number))"
        }
    }
}
