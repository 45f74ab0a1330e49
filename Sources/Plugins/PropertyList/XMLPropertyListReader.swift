import PatchbayPlatform

/// Reads an XML property list from its events.
///
/// Foundation's own reader of this format recurses without a limit and accepts less. This reader knows the eleven
/// elements of the format, and no attribute except the version.
struct XMLPropertyListReader {
    /// An open element that contains values.
    private struct Container {
        enum Kind { case plist, array, dictionary }

        let kind: Kind
        var elements: [PropertyList] = []
        var members: [String: PropertyList] = [:]
        var key: String?
    }

    private let limits: PropertyListLimits
    private var open: [Container] = []
    /// The open element that contains text.
    private var scalar: XMLPropertyListElement?
    private var text: [UInt8] = []
    private var result: PropertyList?
    private var nodes = 0
    private var failure: PropertyListFailure?

    static func read(_ text: XMLText, _ limits: PropertyListLimits) throws -> PropertyList {
        var reader = XMLPropertyListReader(limits)
        do {
            try XMLEventReader.read(text) { event throws(XMLFailure) in try reader.take(event) }
        } catch {
            if let failure = reader.failure { throw failure }
            throw error
        }
        guard let result = reader.result else { throw PropertyListFailure(.malformed, "it has no value") }
        return result
    }

    private init(_ limits: PropertyListLimits) { self.limits = limits }

    private mutating func take(_ event: XMLEvent) throws(XMLFailure) {
        do throws(PropertyListFailure) {
            switch event {
            case .start(let tag): try start(tag)
            case .end: try end()
            case .text(let bytes), .cdata(let bytes): try take(bytes)
            case .comment, .processingInstruction: break
            }
        } catch {
            failure = error
            throw XMLFailure(.aborted, error.reason)
        }
    }

    private mutating func start(_ tag: XMLStartTag) throws(PropertyListFailure) {
        guard scalar == nil else { throw malformed("a value has an element inside") }
        let element = XMLPropertyListElement(tag.name)
        guard tag.attributeCount == 0 || element == .plist && Self.hasVersionOnly(tag) else {
            throw malformed("an element has an attribute")
        }
        guard (element == .plist) == open.isEmpty else {
            throw malformed("plist is not the outermost element, or not the only one")
        }
        // `open` also counts the plist element, which is not a level of nesting.
        guard open.count <= limits.depth || element != .array && element != .dict else { throw .depth(limits.depth) }
        switch element {
        case .plist: open.append(Container(kind: .plist))
        case .array: open.append(Container(kind: .array))
        case .dict: open.append(Container(kind: .dictionary))
        case .some: scalar = element
        case nil: throw malformed("it has an element that property lists do not have")
        }
    }

    private static func hasVersionOnly(_ tag: XMLStartTag) -> Bool {
        var names: [String] = []
        tag.forEachAttribute { name, _ in names.append(name.description) }
        return names == ["version"]
    }

    private mutating func take(_ bytes: XMLBytes) throws(PropertyListFailure) {
        if scalar != nil {
            text.append(contentsOf: bytes)
        } else if !bytes.allSatisfy(XMLCursor.isSpace) {
            throw malformed("there is text between values")
        }
    }

    private mutating func end() throws(PropertyListFailure) {
        if let element = scalar {
            defer { text.removeAll(keepingCapacity: true) }
            scalar = nil
            if element == .key { return try add(key: String(decoding: text, as: UTF8.self)) }
            return try add(try XMLPropertyListScalar.read(element, text))
        }
        guard let closed = open.popLast() else { throw malformed("there is an end tag too many") }
        guard closed.key == nil else { throw malformed("a dictionary has a key without a value") }
        switch closed.kind {
        case .plist: result = closed.elements.first
        case .array: try add(.array(closed.elements))
        case .dictionary: try add(.dictionary(closed.members))
        }
    }

    private mutating func add(key: String) throws(PropertyListFailure) {
        guard let last = open.indices.last, open[last].kind == .dictionary, open[last].key == nil else {
            throw malformed("there is a key where none can be")
        }
        guard open[last].members[key] == nil else { throw malformed("a dictionary has the same key twice") }
        open[last].key = key
    }

    private mutating func add(_ value: PropertyList) throws(PropertyListFailure) {
        nodes += 1
        guard nodes <= limits.nodes else {
            throw PropertyListFailure(.size, "it stands for more than \(limits.nodes) values")
        }
        guard let last = open.indices.last else { throw malformed("there is a value outside the plist element") }
        switch open[last].kind {
        case .plist:
            guard open[last].elements.isEmpty else { throw malformed("it has more than one value") }
            open[last].elements.append(value)
        case .array:
            open[last].elements.append(value)
        case .dictionary:
            guard let key = open[last].key else { throw malformed("a dictionary has a value without a key") }
            open[last].members[key] = value
            open[last].key = nil
        }
    }

    private func malformed(_ reason: String) -> PropertyListFailure { PropertyListFailure(.malformed, reason) }
}

/// The elements of an XML property list.
enum XMLPropertyListElement: String {
    case plist, array, dict, key, string, integer, real, date, data
    case yes = "true"
    case no = "false"

    /// Nil for an unknown name.
    init?(_ name: XMLStartTag.Name) {
        self.init(rawValue: name.description)
    }
}

enum XMLPropertyListScalar {
    static func read(_ element: XMLPropertyListElement, _ bytes: [UInt8]) throws(PropertyListFailure) -> PropertyList {
        if element == .data {
            guard let data = ScalarText.base64(bytes) else {
                throw malformed("data is not base64")
            }
            return .data(data)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        switch element {
        case .yes, .no:
            guard ScalarText.trimmed(text).isEmpty else { throw malformed("true or false has content") }
            return .bool(element == .yes)
        case .integer:
            guard let integer = integer(ScalarText.trimmed(text)) else {
                throw malformed("an integer is not one of up to 64 bits")
            }
            return integer
        case .real:
            guard let real = ScalarText.real(ScalarText.trimmed(text)) else {
                throw malformed("a real is not a number")
            }
            return .real(real)
        case .date:
            guard let date = date(ScalarText.trimmed(text)) else {
                throw malformed("a date is not of the form 2001-01-01T00:00:00Z")
            }
            return .date(date)
        case .string, .data, .key, .plist, .array, .dict: return .string(text)
        }
    }

    /// Decimal or, after `0x`, hexadecimal. The sign is optional.
    private static func integer(_ text: Substring) -> PropertyList? {
        let negative = text.hasPrefix("-")
        let digits = negative || text.hasPrefix("+") ? text.dropFirst() : text
        let hexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let number = hexadecimal ? digits.dropFirst(2) : digits
        guard number.first?.isHexDigit == true, let magnitude = UInt64(number, radix: hexadecimal ? 16 : 10) else {
            return nil
        }
        if negative {
            return magnitude <= Int64.min.magnitude ? .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) : nil
        }
        return Int64(exactly: magnitude).map(PropertyList.integer) ?? .unsigned(magnitude)
    }

    /// `YYYY-MM-DDThh:mm:ssZ`. An XML Schema date of this length has no fraction and no offset.
    private static func date(_ text: Substring) -> Date? {
        text.utf8.count == 20 ? XMLDate.dateTime(text) : nil
    }

    private static func malformed(_ reason: String) -> PropertyListFailure { PropertyListFailure(.malformed, reason) }
}
