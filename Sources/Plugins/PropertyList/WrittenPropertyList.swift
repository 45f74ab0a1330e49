import PatchbayJSON
import PatchbayPlatform

/// The property list that a value encodes. It contains no value that Foundation would write differently or trap on.
struct WrittenPropertyList {
    private(set) var list = PropertyList.dictionary([:])
    private let value: any Encodable
    private let isXML: Bool

    /// - Throws: `EncodingError`, or any error that the value throws.
    init(_ value: some Encodable, isXML: Bool) throws {
        self.value = value
        self.isXML = isXML
        list = try value as? PropertyList ?? list(EncodingNode.tree(of: value), at: [])
        guard list.array != nil || list.dictionary != nil else {
            throw failure(value, "A property list is an array or a dictionary.", [])
        }
        try check(list, at: [])
    }

    private func list(_ node: EncodingNode, at path: [any CodingKey]) throws -> PropertyList {
        switch node.content {
        case .null, .absent, .nothing, .value, .failed: throw failure(value, "Property lists have no null.", path)
        case .bool(let value): return .bool(value)
        case .int(let value): return .integer(value)
        case .uint(let value): return .unsigned(value)
        case .double(let value): return .real(value)
        case .digits(let number, let text):
            if let integer = Int128(text) {
                if let value = Int64(exactly: integer) { return .integer(value) }
                if let value = UInt64(exactly: integer) { return .unsigned(value) }
                throw failure(value, "The integer does not fit in 64 bits.", path)
            }
            guard number.isFinite, Decimal(string: number.description) == Decimal(string: text) else {
                throw failure(value, "The number has more digits than a real has.", path)
            }
            return .real(number)
        case .string(let value): return .string(value)
        case .data(let value): return .data(value)
        case .date(let value): return .date(value)
        case .array(let elements):
            return .array(try elements.enumerated().map { try list($1, at: path + [PathKey.index($0)]) })
        case .set: throw failure(value, "A set has no order, and so no form in a property list.", path)
        case .object(let members, _):
            var dictionary: [String: PropertyList] = [:]
            for (name, node) in members {
                if case .absent = node.content { continue }
                dictionary[name] = try list(node, at: path + [PathKey.name(name)])
            }
            return .dictionary(dictionary)
        }
    }

    private func check(_ list: PropertyList, at path: [any CodingKey]) throws {
        switch list {
        case .integer, .unsigned, .real, .bool, .data: break
        case .string(let text): try check(text, at: path)
        case .date(let date):
            guard Date.iso8601Years.contains(date) else {
                throw failure(DateWithoutText(date), "Property lists have no date outside the years 1 to 9999.", path)
            }
        case .array(let elements):
            try PropertyList.checkDepth(of: value, at: path)
            for (index, element) in elements.enumerated() { try check(element, at: path + [PathKey.index(index)]) }
        case .dictionary(let members):
            try PropertyList.checkDepth(of: value, at: path)
            for (name, member) in members {
                let path = path + [PathKey.name(name)]
                try check(name, at: path)
                try check(member, at: path)
            }
        }
    }

    /// XML can't contain other characters, not even as character references (XML 1.0, section 2.2).
    private func check(_ text: String, at path: [any CodingKey]) throws {
        guard isXML else { return }
        let isText = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x1_0000...: true
            default: false
            }
        }
        guard isText else { throw failure(text, "The text has a character that XML 1.0 lacks.", path) }
    }

    private func failure(_ value: Any, _ reason: String, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: reason))
    }
}
