import Foundation

/// Reads an XML property list from the events of the budgeted parser.
///
/// Foundation's own reader of this format recurses without a limit and takes less than it is given; this one knows the eleven
/// elements of the format, and no attributes but the version.
final class XMLPropertyListReader {
    /// An element that is open and holds values.
    private struct Container {
        enum Kind { case plist, array, dictionary }

        let kind: Kind
        var elements: [PropertyList] = []
        var members: [String: PropertyList] = [:]
        /// The key that waits for its value.
        var key: String?
    }

    private let limits: PropertyListLimits
    private var open: [Container] = []
    /// The element that holds text and is open, with what it holds so far.
    private var scalar: (name: String, text: String)?
    private var result: PropertyList?
    private var nodes = 0
    private var failure: PropertyListFailure?

    static func read(_ text: XMLText, _ limits: PropertyListLimits) throws -> PropertyList {
        let reader = XMLPropertyListReader(limits)
        do {
            try XMLParserSource(text: text).parse(reader.take)
        } catch {
            if let failure = reader.failure { throw failure }
            throw error
        }
        guard let result = reader.result else { throw PropertyListFailure(.malformed, "it has no value") }
        return result
    }

    private init(_ limits: PropertyListLimits) { self.limits = limits }

    private func take(_ event: XMLEvent) throws(XMLFailure) {
        do throws(PropertyListFailure) {
            switch event {
            case .start(let name, let attributes): try start(name, attributes)
            case .end(let name): try end(name)
            case .text(let text), .cdata(let text): try take(text)
            case .comment, .processingInstruction: break
            }
        } catch {
            failure = error
            throw XMLFailure(.aborted, error.reason)
        }
    }

    private func start(_ name: String, _ attributes: [String: String]) throws(PropertyListFailure) {
        guard scalar == nil else { throw malformed("a value has an element inside") }
        guard attributes.isEmpty || name == "plist" && attributes.keys.elementsEqual(["version"]) else {
            throw malformed("an element has an attribute")
        }
        guard (name == "plist") == open.isEmpty else {
            throw malformed("plist is not the outermost element, or not the only one")
        }
        // The plist element is no container of its own.
        guard open.count <= limits.depth || !["array", "dict"].contains(name) else { throw .depth(limits.depth) }
        switch name {
        case "plist": open.append(Container(kind: .plist))
        case "array": open.append(Container(kind: .array))
        case "dict": open.append(Container(kind: .dictionary))
        case "key", "string", "integer", "real", "true", "false", "date", "data": scalar = (name, "")
        default: throw malformed("it has an element that property lists do not have")
        }
    }

    private func take(_ text: String) throws(PropertyListFailure) {
        if scalar != nil {
            scalar?.text += text
        } else if !text.utf8.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
            throw malformed("there is text between values")
        }
    }

    private func end(_ name: String) throws(PropertyListFailure) {
        if let (name, text) = scalar {
            scalar = nil
            if name == "key" { return try add(key: text) }
            return try add(try XMLPropertyListScalar.read(name, text))
        }
        guard let closed = open.popLast() else { throw malformed("there is an end tag too many") }
        guard closed.key == nil else { throw malformed("a dictionary has a key without a value") }
        switch closed.kind {
        case .plist: result = closed.elements.first
        case .array: try add(.array(closed.elements))
        case .dictionary: try add(.dictionary(closed.members))
        }
    }

    private func add(key: String) throws(PropertyListFailure) {
        guard let last = open.indices.last, open[last].kind == .dictionary, open[last].key == nil else {
            throw malformed("there is a key where none can be")
        }
        guard open[last].members[key] == nil else { throw malformed("a dictionary has the same key twice") }
        open[last].key = key
    }

    private func add(_ value: PropertyList) throws(PropertyListFailure) {
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
