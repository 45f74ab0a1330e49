import PatchbayJSON
import PatchbayPlatform

/// Reads an XML property list from its events.
///
/// Foundation's own reader of this format recurses without a limit and accepts less. This reader knows the eleven
/// elements of the format, and no attribute except the version.
struct XMLPropertyListReader {
    private enum Element: String {
        case plist, array, dict, key, string, integer, real, date, data
        case yes = "true"
        case no = "false"
    }

    /// An open element that contains values.
    private struct Container {
        let element: Element
        var elements: [PropertyList] = []
        var members: [String: PropertyList] = [:]
        var key: String?
    }

    private let limits: PropertyListLimits
    private var open: [Container] = []
    /// The open element that contains text.
    private var scalar: Element?
    private var text: [UInt8] = []
    private var result: PropertyList?
    private var nodes = 0
    private var failure: FormatFailure?

    static func read(_ text: XMLText, _ limits: PropertyListLimits) throws -> PropertyList {
        var reader = XMLPropertyListReader(limits: limits)
        do {
            try XMLEventReader.read(text) { event throws(XMLFailure) in try reader.take(event) }
        } catch {
            if let failure = reader.failure { throw failure }
            throw error
        }
        guard let result = reader.result else { throw FormatFailure.propertyList(.malformed, "it has no value") }
        return result
    }

    private mutating func take(_ event: XMLEvent) throws(XMLFailure) {
        do throws(FormatFailure) {
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

    private mutating func start(_ tag: XMLStartTag) throws(FormatFailure) {
        guard scalar == nil else { throw malformed("a value has an element inside") }
        let element = Element(rawValue: tag.name.description)
        guard tag.attributeCount == 0 || element == .plist && Self.hasVersionOnly(tag) else {
            throw malformed("an element has an attribute")
        }
        guard (element == .plist) == open.isEmpty else {
            throw malformed("plist is not the outermost element, or not the only one")
        }
        // `open` also counts the plist element, which is not a level of nesting.
        guard open.count <= limits.depth || element != .array && element != .dict else { throw limits.tooDeep }
        guard let element else { throw malformed("it has an element that property lists do not have") }
        switch element {
        case .plist, .array, .dict: open.append(Container(element: element))
        default: scalar = element
        }
    }

    private static func hasVersionOnly(_ tag: XMLStartTag) -> Bool {
        var names: [String] = []
        tag.forEachAttribute { name, _ in names.append(name.description) }
        return names == ["version"]
    }

    private mutating func take(_ bytes: XMLBytes) throws(FormatFailure) {
        if scalar != nil {
            text.append(contentsOf: bytes)
        } else if !bytes.allSatisfy(XMLCursor.isSpace) {
            throw malformed("there is text between values")
        }
    }

    private mutating func end() throws(FormatFailure) {
        if let element = scalar {
            defer { text.removeAll(keepingCapacity: true) }
            scalar = nil
            if element == .key { return try add(key: String(decoding: text, as: UTF8.self)) }
            return try add(try value(of: element))
        }
        guard let closed = open.popLast() else { throw malformed("there is an end tag too many") }
        guard closed.key == nil else { throw malformed("a dictionary has a key without a value") }
        switch closed.element {
        case .plist: result = closed.elements.first
        case .dict: try add(.dictionary(closed.members))
        default: try add(.array(closed.elements))
        }
    }

    private mutating func add(key: String) throws(FormatFailure) {
        guard let last = open.indices.last, open[last].element == .dict, open[last].key == nil else {
            throw malformed("there is a key where none can be")
        }
        guard open[last].members[key] == nil else { throw malformed("a dictionary has the same key twice") }
        open[last].key = key
    }

    private mutating func add(_ value: PropertyList) throws(FormatFailure) {
        nodes += 1
        guard nodes <= limits.nodes else { throw limits.tooManyNodes }
        guard let last = open.indices.last else { throw malformed("there is a value outside the plist element") }
        guard open[last].element == .dict else {
            guard open[last].element == .array || open[last].elements.isEmpty else {
                throw malformed("it has more than one value")
            }
            return open[last].elements.append(value)
        }
        guard let key = open[last].key.take() else { throw malformed("a dictionary has a value without a key") }
        open[last].members[key] = value
    }

    /// The value of an element that contains text.
    private func value(of element: Element) throws(FormatFailure) -> PropertyList {
        let string = element == .data ? "" : String(decoding: text, as: UTF8.self)
        let word = ScalarText.trimmed(string)
        let (value, rule): (PropertyList?, String) =
            switch element {
            case .data: (ScalarText.base64(text).map(PropertyList.data), "data is not base64")
            case .yes, .no: (word.isEmpty ? .bool(element == .yes) : nil, "true or false has content")
            case .integer: (Self.integer(word), "an integer is not one of up to 64 bits")
            case .real: (ScalarText.real(word).map(PropertyList.real), "a real is not a number")
            case .date: (Self.date(word), "a date is not of the form 2001-01-01T00:00:00Z")
            case .string, .key, .plist, .array, .dict: (.string(string), "")
            }
        guard let value else { throw malformed(rule) }
        return value
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
    private static func date(_ text: Substring) -> PropertyList? {
        text.utf8.count == 20 ? XMLDate.dateTime(text).map(PropertyList.date) : nil
    }

    private func malformed(_ reason: String) -> FormatFailure { .propertyList(.malformed, reason) }
}
