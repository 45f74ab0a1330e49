import PatchbayPlatform
import PatchbayRegistry

/// Scans the markup of a document before libxml2 reads it, in time linear in its length.
///
/// The scanner refuses tags with too many attributes, because libxml2 compares each attribute with every other before
/// it reports the first. The scanner removes a document type declaration, unless the declaration is refused as well,
/// and replaces references to the entities of the declaration in text and attributes. The scanner changes markup that
/// FoundationXML can't handle, because parser sources read through FoundationXML. The scanner knows just enough of XML
/// 1.0 to tell tags from comments, CDATA and processing instructions, and refuses markup that it can't follow.
struct XMLMarkup {
    /// A part of the document and its replacement.
    ///
    /// Nil `bytes` means spaces, with line feeds kept, so that later errors have the right line and column.
    typealias Edit = (range: Range<Int>, bytes: [UInt8]?)

    private var cursor: XMLCursor
    private let limits: XMLLimits
    private var hasDoctype = false
    private var entities = XMLEntities()
    /// For each element, the first attribute whose value the declaration would change. No parser gets the declaration.
    private var changes: [[UInt8]: XMLDoctype.AttributeChange] = [:]
    private var edits: [Edit] = []
    /// The number of bytes that entities are still allowed to add.
    private var room: Int

    static func check(_ bytes: UnsafeRawBufferPointer, _ limits: XMLLimits) throws(XMLFailure) -> [Edit] {
        var markup = XMLMarkup(bytes, limits)
        try markup.check()
        return markup.edits
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ limits: XMLLimits) {
        cursor = XMLCursor(bytes)
        self.limits = limits
        room = limits.characters(forBodyOf: bytes.count)
    }

    private mutating func check() throws(XMLFailure) {
        var rootSeen = false
        while let start = cursor.index(of: UInt8(ascii: "<"), from: cursor.position) {
            if rootSeen { try checkEntities(in: cursor.position..<start, isAttribute: false) }
            cursor.position = start
            if cursor.starts(with: "<!--") {
                try cursor.skip(4, past: "-->", "a comment is not closed")
            } else if cursor.starts(with: "<?") {
                try checkInstruction()
            } else if cursor.starts(with: "<![CDATA[") {
                try cursor.skip(9, past: "]]>", "a CDATA section is not closed")
            } else if cursor.starts(with: "<!DOCTYPE"), !rootSeen, !hasDoctype {
                try checkDoctype()
            } else if cursor.starts(with: "<!") {
                throw cursor.failure(.notWellFormed, "there is a declaration where none can be")
            } else if cursor.starts(with: "</") {
                try cursor.skip(2, past: ">", "a tag is not closed")
            } else {
                rootSeen = true
                try checkStartTag()
            }
        }
        guard rootSeen else { throw XMLFailure(.noRootElement, "there is no root element") }
    }

    /// XML 1.0, section 3.1: outside quotes, every equals sign belongs to one attribute.
    private mutating func checkStartTag() throws(XMLFailure) {
        let start = cursor.position
        var attributes = 0
        var quote: UInt8?
        cursor.position += 1
        while let byte = cursor.byte {
            if byte == UInt8(ascii: "<") {
                throw cursor.failure(.notWellFormed, "a tag or an attribute value holds a less-than sign")
            } else if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "=") {
                attributes += 1
            } else if byte == UInt8(ascii: ">") {
                break
            }
            cursor.position += 1
        }
        let end = cursor.position
        cursor.position = start
        guard end < cursor.bytes.count else { throw cursor.failure(.notWellFormed, "a tag is not closed") }
        guard attributes <= limits.maximumAttributes else {
            throw cursor.failure(.attributes, "an element has more than \(limits.maximumAttributes) attributes")
        }
        try checkDeclaredAttributes(in: start..<end)
        try checkEntities(in: start..<end, isAttribute: true)
        cursor.position = end + 1
    }

    /// Without the declaration, no parser adds a default value (XML 1.0, section 3.3.2) or trims a value (section
    /// 3.3.3). An element that depends on either is refused.
    private func checkDeclaredAttributes(in tag: Range<Int>) throws(XMLFailure) {
        guard !changes.isEmpty else { return }
        let name = Array(cursor.bytes[tag].dropFirst().prefix(while: XMLDoctype.isOfName))
        guard let change = changes[name] else { return }
        let what =
            change.isDefault
            ? "a default value, which is not put in place"
            : "a type other than CDATA, by which its value is not trimmed"
        throw cursor.failure(
            .doctype,
            "the element \(Self.shown(name)) has an attribute \(Self.shown(change.name)) that its document type declaration "
                + "gives \(what); the option \"doctype\": \"ignore\" reads the document without its declarations")
    }

    private static func shown(_ name: [UInt8]) -> Quoted { Quoted(String(decoding: name, as: UTF8.self)) }

    /// FoundationXML ends the process on an instruction that consists of a name only. A space after the name avoids
    /// that. The space makes no difference to trees and property lists, which libxml2 reads directly.
    ///
    /// The name `xml`, in upper or lower case, is reserved for the declaration (XML 1.0, section 2.6). The name is
    /// refused here because the error of libxml2 for this name has the number of a warning about names that begin with
    /// `xml`.
    private mutating func checkInstruction() throws(XMLFailure) {
        let start = cursor.position
        try cursor.skip(2, past: "?>", "a processing instruction is not closed")
        let end = cursor.position - 2
        let name = cursor.bytes[(start + 2)..<end].prefix { !XMLCursor.isSpace($0) }
        let isDeclaration = start == 0 && name.elementsEqual("xml".utf8)
        if !isDeclaration, name.lazy.map({ $0 | 0x20 }).elementsEqual("xml".utf8) {
            throw .at(start, in: cursor.bytes, .notWellFormed, "an XML declaration stands where none can be")
        }
        if !cursor.bytes[(start + 2)..<end].contains(where: XMLCursor.isSpace) {
            edits.append((range: end..<end, bytes: [0x20]))
        }
    }

    private mutating func checkDoctype() throws(XMLFailure) {
        let start = cursor.position
        guard limits.doctype != .refuse else {
            throw cursor.failure(
                .doctype,
                #"it has a document type declaration (DOCTYPE), which the option "doctype": "refuse" does not allow"#)
        }
        hasDoctype = true
        let doctype = try XMLDoctype.read(&cursor, declares: limits.doctype == .allow)
        (entities, changes) = (doctype.entities, doctype.changes)
        // A small limit only applies to the delivered text, so expansions are allowed at least 1 MiB.
        entities.room = max(room, 1 << 20)
        edits.append((range: start..<cursor.position, bytes: nil))
    }

    /// Checks the references in a text or a tag. Without a declaration, libxml2 reports their errors.
    private mutating func checkEntities(in range: Range<Int>, isAttribute: Bool) throws(XMLFailure) {
        guard hasDoctype else { return }
        if limits.doctype == .allow {
            try expandEntities(in: range, isAttribute: isAttribute)
        } else {
            try refuseEntities(in: range)
        }
    }

    /// Entity declarations were skipped, so only the five entities that XML predefines are allowed.
    private func refuseEntities(in range: Range<Int>) throws(XMLFailure) {
        var position = range.lowerBound
        while let start = cursor.index(of: UInt8(ascii: "&"), from: position, to: range.upperBound) {
            position = start + 1
            while position < range.upperBound, XMLDoctype.isOfName(cursor.bytes[position]) { position += 1 }
            let name = cursor.bytes[(start + 1)..<position]
            guard !name.isEmpty, position < range.upperBound, cursor.bytes[position] == UInt8(ascii: ";"),
                !XMLEntities.isPredefined(name)
            else { continue }
            throw .at(start, in: cursor.bytes, .doctype, XMLEntities.beyondFive)
        }
    }

    private mutating func expandEntities(in range: Range<Int>, isAttribute: Bool) throws(XMLFailure) {
        guard !entities.isEmpty else { return }
        var position = range.lowerBound
        while let start = cursor.index(of: UInt8(ascii: "&"), from: position, to: range.upperBound) {
            guard let end = cursor.index(of: UInt8(ascii: ";"), from: start, to: range.upperBound) else { return }
            position = end + 1
            let name = Array(cursor.bytes[(start + 1)..<end])
            do throws(XMLFailure) {
                guard let expansion = try entities.expansion(of: name, limit: room) else { continue }
                let text = XMLEntities.writing(expansion, inAttribute: isAttribute)
                guard text.count <= room else { throw XMLEntities.tooLong }
                room -= text.count
                edits.append((range: start..<position, bytes: text))
            } catch {
                throw .at(start, in: cursor.bytes, error.code, error.reason)
            }
        }
    }
}

/// A start tag as libxml2 reports it, valid only while the event is handled.
struct XMLStartTag {
    /// A name as written: `atom:link`, or one without a prefix.
    struct Name: CustomStringConvertible {
        let prefix: XMLBytes?
        let local: XMLBytes

        var description: String {
            let local = String(decoding: local, as: UTF8.self)
            return prefix.map { "\(String(decoding: $0, as: UTF8.self)):\(local)" } ?? local
        }
    }

    let name: Name
    private let namespaces: UnsafeBufferPointer<UnsafePointer<UInt8>?>
    private let attributes: UnsafeBufferPointer<UnsafePointer<UInt8>?>

    /// - Parameters:
    ///   - namespaces: prefix and URI of each declaration.
    ///   - attributes: local name, prefix, URI, start and end of the value of each attribute.
    init(
        _ local: UnsafePointer<UInt8>, prefix: UnsafePointer<UInt8>?,
        namespaces: UnsafeBufferPointer<UnsafePointer<UInt8>?>, attributes: UnsafeBufferPointer<UnsafePointer<UInt8>?>
    ) {
        name = Name(prefix: prefix.map { XMLBytes(untilZero: $0) }, local: XMLBytes(untilZero: local))
        self.namespaces = namespaces
        self.attributes = attributes
    }

    /// The number of attributes, including namespace declarations.
    var attributeCount: Int { namespaces.count / 2 + attributes.count / 5 }

    /// Passes each namespace declaration, then each attribute, with its value.
    func forEachAttribute<Failure: Error>(_ take: (Name, XMLBytes) throws(Failure) -> Void) throws(Failure) {
        for index in stride(from: 0, to: namespaces.count - 1, by: 2) {
            let prefix = namespaces[index].map { XMLBytes(untilZero: $0) }
            let name = prefix.map { Name(prefix: Self.xmlns, local: $0) } ?? Name(prefix: nil, local: Self.xmlns)
            try take(name, XMLBytes(untilZero: namespaces[index + 1]))
        }
        for index in stride(from: 0, to: attributes.count - 4, by: 5) {
            let prefix = attributes[index + 1].map { XMLBytes(untilZero: $0) }
            let name = Name(prefix: prefix, local: XMLBytes(untilZero: attributes[index]))
            guard let start = attributes[index + 3], let end = attributes[index + 4] else { continue }
            try take(name, XMLBytes(start: start, count: end - start))
        }
    }

    /// The value of the attribute with this name in this namespace; nil if there is none. Namespace declarations are
    /// not searched.
    func attribute(_ local: StaticString, namespace: StaticString) -> XMLBytes? {
        for index in stride(from: 0, to: attributes.count - 4, by: 5) {
            guard XMLBytes(untilZero: attributes[index]).elementsEqual(XMLBytes(local)),
                XMLBytes(untilZero: attributes[index + 2]).elementsEqual(XMLBytes(namespace)),
                let start = attributes[index + 3], let end = attributes[index + 4]
            else { continue }
            return XMLBytes(start: start, count: end - start)
        }
        return nil
    }

    private static var xmlns: XMLBytes { XMLBytes("xmlns") }
}

extension XMLBytes {
    /// The bytes of a libxml2 string, which ends with a zero byte; empty for NULL.
    init(untilZero start: UnsafePointer<UInt8>?) {
        let length = start.map { strlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)) }
        self.init(start: start, count: length ?? 0)
    }

    init(_ text: StaticString) {
        self.init(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
