/// What all decoders of one `decode` call share.
final class DecodeSession {
    /// How many values may lie inside each other, so that a value built in code cannot exhaust the stack.
    static let maximumDepth = 512

    let options: JSON.DecodeOptions
    let isSnakeCase: Bool
    let audit: KeyAudit?
    /// The reading of the first type, which in a small document is the only one.
    private var first: (type: ObjectIdentifier, reading: TypeReading)?
    /// The readings of other types seen lately, each at the place that its address gives it; empty until there is one.
    private var readings: [(type: ObjectIdentifier, reading: TypeReading)?] = []

    init(_ options: JSON.DecodeOptions, _ audit: KeyAudit? = nil) {
        self.options = options
        isSnakeCase = options.keys == .snakeCase
        self.audit = audit
    }

    /// How values of a type are read; finding it out anew takes longer than reading most of them.
    func reading<Value: Decodable>(of type: Value.Type) -> TypeReading {
        let identity = ObjectIdentifier(type)
        guard let first else {
            let reading = TypeReading(of: type, options)
            first = (identity, reading)
            return reading
        }
        if first.type == identity { return first.reading }
        if readings.isEmpty { readings = Array(repeating: nil, count: 64) }
        let place = (UInt(bitPattern: identity) >> 4 ^ UInt(bitPattern: identity) >> 10) & 63
        if let known = readings[Int(place)], known.type == identity { return known.reading }
        let reading = TypeReading(of: type, options)
        readings[Int(place)] = (identity, reading)
        return reading
    }
}
