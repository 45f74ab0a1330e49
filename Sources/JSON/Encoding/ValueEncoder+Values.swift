import PatchbayPlatform

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws { try set(.null, of: JSON.null) }
    func encode(_ value: Bool) throws { try set(.bool(value), of: value) }
    func encode(_ value: String) throws { try set(.string(value), of: value) }
    func encode(_ value: Double) throws { try set(content(value), of: value) }
    func encode(_ value: Float) throws { try set(content(value), of: value) }

    func encode(_ value: Int128) throws { try set(content(value), of: value) }
    func encode(_ value: UInt128) throws { try set(content(value), of: value) }

    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) throws {
        try set(content(value), of: value)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        if let content = try special(value) { return try set(content, of: value) }
        // A type can call this function endlessly, with another value or with the same one.
        guard steps < 2 * Self.maximumDepth else { throw failure(value, Self.tooDeep) }
        steps += 1
        defer { steps -= 1 }
        let wasEmpty = node.isEmpty
        do {
            if options.keys == .snakeCase, let dictionary = value as? any StringKeyedEncodable {
                try dictionary.encodeValues(to: self)
            } else {
                try value.encode(to: self)
            }
            if options.keepsTypes, value is any UnorderedElements { node.firstUnordered = 0 }
            try node.throwFailure()
        } catch {
            // The caller can encode another value instead.
            if wasEmpty { node.content = .nothing }
            // A refused container knows only that its value is a container.
            guard case EncodingError.invalidValue(_, let context) = error, context.debugDescription == Self.twoForms,
                context.codingPath.count == depth
            else { throw error }
            throw EncodingError.invalidValue(value, context)
        }
    }

    /// The content of a value whose form depends on the options, not on its type; nil for most types.
    private func special<Value: Encodable>(_ value: Value) throws -> EncodingNode.Content? {
        // A cast from a generic type is slow, so it comes after the comparison that predicts its success.
        if Value.self == JSON.self && !options.keepsTypes { return (value as? JSON).map { .value($0) } }
        if Value.self == Date.self { return try (value as? Date).map(content) }
        if Value.self == Data.self && (options.data == .base64 || options.keepsTypes) {
            return (value as? Data).map { options.keepsTypes ? .data($0) : .string($0.base64EncodedString()) }
        }
        if Value.self == URL.self { return (value as? URL).map { .string($0.absoluteString) } }
        if Value.self == Decimal.self { return try (value as? Decimal).map(content) }
        guard options.keepsTypes else { return nil }
        guard let tree = value as? any EncodedTree else {
            return try (value as? any BinaryInteger).map { try Int64(exactly: $0).map { .int($0) } ?? long($0) }
        }
        guard let content = tree.content(inside: depth) else { throw failure(tree, Self.tooDeep) }
        return content
    }

    private func content(_ date: Date) throws -> EncodingNode.Content {
        if options.keepsTypes { return .date(date) }
        switch options.dates {
        case .deferred: return try content(date.timeIntervalSinceReferenceDate)
        case .secondsSince1970: return try content(date.timeIntervalSince1970)
        case .millisecondsSince1970: return try content(date.timeIntervalSince1970 * 1000)
        case .iso8601:
            guard let text = date.iso8601 else {
                throw failure(DateWithoutText(date), "ISO 8601 has no date outside the years 1 to 9999.")
            }
            return .string(text)
        }
    }

    private func content(_ value: some FixedWidthInteger & Encodable) throws -> EncodingNode.Content {
        if let signed = Int64(exactly: value) { return .int(signed) }
        if let unsigned = UInt64(exactly: value) { return .uint(unsigned) }
        return try long(value)
    }

    private func long(_ value: any BinaryInteger) throws -> EncodingNode.Content {
        guard options.keepsTypes else { throw failure(value, "The integer does not fit in 64 bits.") }
        guard let integer = Int128(exactly: value) else {
            throw failure(value, "The integer does not fit in a signed integer of 128 bits.")
        }
        return .digits(Double(integer), integer.description)
    }

    private func content(_ value: some BinaryFloatingPoint & LosslessStringConvertible) throws -> EncodingNode.Content {
        if value.isFinite || options.keepsTypes {
            // From the shortest digits, so that 0.1 as a Float is 0.1 in the text.
            return .double(value as? Double ?? Double(value.description) ?? Double(value))
        }
        guard case .convert(let positive, let negative, let nan) = options.nonConformingFloats else {
            throw failure(value, "JSON has no number for \(value).")
        }
        return .string(value.isNaN ? nan : value < 0 ? negative : positive)
    }

    /// The number with all its digits: an integer, a Double that has all digits, or a Double and a text.
    private func content(_ value: Decimal) throws -> EncodingNode.Content {
        let text = value.description
        if let signed = Int64(text) { return .int(signed) }
        if let unsigned = UInt64(text) { return .uint(unsigned) }
        guard let number = Double(text), number.isFinite else {
            guard options.keepsTypes else { throw failure(value, "JSON has no number for it.") }
            return .double(.nan)
        }
        return options.keepsTypes && Int128(text) != nil ? .digits(number, text) : .number(value, number)
    }
}

/// A value whose elements have no order.
private protocol UnorderedElements {}

extension Set: UnorderedElements {}

/// A dictionary with arbitrary keys. No key strategy changes the keys.
protocol StringKeyedEncodable {
    func encodeValues(to encoder: ValueEncoder) throws
}

extension Dictionary: StringKeyedEncodable where Key == String, Value: Encodable {
    func encodeValues(to encoder: ValueEncoder) throws {
        encoder.becomeObject()
        for (key, value) in self {
            try encoder.node.set(encoder.child(value, PathKey.name(key)), forKey: key)
        }
    }
}
