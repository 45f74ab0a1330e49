extension Parameters: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation {
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Parameters: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int64) { self = .integer(Int128(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension Parameters: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: Parameters...) { self = .array(elements) }

    public init(dictionaryLiteral members: (String, Parameters)...) {
        self.init(members: members)
    }
}
