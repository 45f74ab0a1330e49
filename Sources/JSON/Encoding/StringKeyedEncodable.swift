/// A dictionary whose keys are data, which no key strategy touches.
protocol StringKeyedEncodable {
    func encodeValues(to encoder: ValueEncoder) throws
}

extension Dictionary: StringKeyedEncodable where Key == String, Value: Encodable {
    func encodeValues(to encoder: ValueEncoder) throws {
        encoder.node.becomeObject()
        for (key, value) in self {
            encoder.node.set(try encoder.child(value, PathKey.name(key)), forKey: key)
        }
    }
}
