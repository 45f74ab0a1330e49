#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.content = .value(.null) }
    func encode(_ value: Bool) { node.content = .bool(value) }
    func encode(_ value: String) { node.content = .string(value) }
    func encode(_ value: Double) throws { node.content = try content(value) }
    func encode(_ value: Float) throws { node.content = try content(value) }

    func encode(_ value: Int128) throws { node.content = try content(value) }
    func encode(_ value: UInt128) throws { node.content = try content(value) }

    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) throws {
        node.content = try content(value)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let value as JSON: node.content = .value(value)
        case let value as Date: try encode(date: value)
        case let value as Data where options.data == .base64: node.content = .string(value.base64EncodedString())
        case let value as URL: node.content = .string(value.absoluteString)
        case let value as Decimal: node.content = try content(value)
        case let value as any StringKeyedEncodable where options.keys == .snakeCase: try value.encodeValues(to: self)
        default: try value.encode(to: self)
        }
    }

    private func encode(date: Date) throws {
        switch options.dates {
        case .deferred: node.content = try content(date.timeIntervalSinceReferenceDate)
        case .secondsSince1970: node.content = try content(date.timeIntervalSince1970)
        case .millisecondsSince1970: node.content = try content(date.timeIntervalSince1970 * 1000)
        case .iso8601: node.content = .string(date.formatted(.iso8601))
        }
    }

    private func content(_ value: some FixedWidthInteger) throws -> EncodingNode.Content {
        if let signed = Int64(exactly: value) { return .int(signed) }
        if let unsigned = UInt64(exactly: value) { return .uint(unsigned) }
        throw failure(value, "The integer does not fit in 64 bits.")
    }

    private func content(_ value: some BinaryFloatingPoint & LosslessStringConvertible) throws -> EncodingNode.Content {
        if value.isFinite {
            // By way of the shortest digits, so that 0.1 as a Float is 0.1 in the text.
            return .double(value as? Double ?? Double(value.description) ?? Double(value))
        }
        guard case .convert(let positive, let negative, let nan) = options.nonConformingFloats else {
            throw failure(value, "JSON has no number for \(value).")
        }
        return .string(value.isNaN ? nan : value < 0 ? negative : positive)
    }

    /// Exact for 64-bit integers, else the nearest Double.
    private func content(_ value: Decimal) throws -> EncodingNode.Content {
        let text = value.description
        if let signed = Int64(text) { return .int(signed) }
        if let unsigned = UInt64(text) { return .uint(unsigned) }
        guard let number = Double(text), number.isFinite else { throw failure(value, "JSON has no number for it.") }
        return .double(number)
    }
}
