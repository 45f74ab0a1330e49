extension JSON {
    /// The value null.
    public static let null = JSON { $0.null() }

    /// A boolean.
    public init(_ value: Bool) { self.init { $0.bool(value) } }
    /// A string.
    public init(_ value: some StringProtocol) { self.init { $0.string(String(value)) } }

    /// An integer, exact if it fits in 64 bits, otherwise the nearest Double.
    public init(_ value: some BinaryInteger) {
        self.init { builder in
            if let signed = Int64(exactly: value) {
                builder.int(signed)
            } else if let unsigned = UInt64(exactly: value) {
                builder.uint(unsigned)
            } else {
                builder.double(Double(value))
            }
        }
    }

    /// A number; null for infinity and NaN, which JSON cannot write.
    public init(_ value: Double) { self.init { $0.double(value) } }

    /// An array of these elements.
    public init(_ elements: [JSON]) {
        var builder = TapeBuilder()
        let start = builder.open(Tag.array)
        for element in elements { builder.copy(element.tape, at: element.index) }
        builder.close(start, count: elements.count)
        self.init(builder.finish())
    }

    /// An object with these members in this order. If a key is repeated, the last member is used.
    @_disfavoredOverload  // `JSON([])` is an array.
    public init(_ members: [(key: String, value: JSON)]) { self.init(members: members.lazy.map { ($0.key, $0.value) }) }

    /// Like `init(_:)`, for members without labels.
    package static func object(_ members: [(String, JSON)]) -> JSON { JSON(members: members) }
    package static func array(_ elements: [JSON]) -> JSON { JSON(elements) }

    private init(members: some Sequence<(String, JSON)>) {
        var builder = TapeBuilder()
        let start = builder.open(Tag.object)
        var count = 0
        for (key, value) in members {
            builder.string(key)
            builder.copy(value.tape, at: value.index)
            count += 1
        }
        builder.close(start, count: count)
        let tape = builder.finish()
        if DuplicateSearch.mark(object: 1, of: tape) != nil { tape.keep(1) }
        self.init(tape)
    }

    init(_ build: (inout TapeBuilder) -> Void) {
        var builder = TapeBuilder()
        build(&builder)
        self.init(builder.finish())
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation {
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self.init(value) }
    public init(stringLiteral value: String) { self.init(value) }
}

extension JSON: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int) { self.init(value) }
    public init(floatLiteral value: Double) { self.init(value) }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: JSON...) { self.init(elements) }
    public init(dictionaryLiteral members: (String, JSON)...) { self.init(members: members) }
}
