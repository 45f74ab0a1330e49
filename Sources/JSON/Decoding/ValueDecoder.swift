// Reads `Decodable` types directly from the tape, with the behaviour of Foundation's JSONDecoder: the decoder, its
// containers, and the reading of each kind of type.

import PatchbayPlatform

/// The decoder of one value in a tape, which is also its single-value container.
final class ValueDecoder: Decoder, CodingNode {
    let json: JSON
    let session: JSON.Decoding
    let parent: ValueDecoder?
    let key: (any CodingKey)?
    private let depth: Int
    /// The word of the key that was found last, if the value is an object.
    var latestMember: Int
    /// The sorted keys, made if a search member by member would take too long.
    var sortedMembers: KeyIndex?
    /// The words of the values by converted key, made if keys must be converted.
    var convertedMembers: [String: Int]?

    init(_ json: JSON, _ session: JSON.Decoding) {
        self.json = json
        latestMember = json.index + 1
        self.session = session
        parent = nil
        key = nil
        depth = 0
        session.audit?.visit(json)
    }

    private init(_ json: JSON, _ parent: ValueDecoder, _ key: any CodingKey) {
        self.json = json
        latestMember = json.index + 1
        session = parent.session
        self.parent = parent
        self.key = key
        depth = parent.depth + 1
        session.audit?.visit(json)
    }

    var userInfo: [CodingUserInfoKey: Any] { session.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard json.tape.tag(at: json.index) == Tag.object else {
            throw failure([String: Any].self, at: json.index, nil)
        }
        return KeyedDecodingContainer(MemberContainer<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard json.tape.tag(at: json.index) == Tag.array else { throw failure([Any].self, at: json.index, nil) }
        return ElementContainer(self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func child(at word: Int, _ key: any CodingKey) throws -> ValueDecoder {
        guard depth < Self.maximumDepth else {
            throw invalid("more than \(Self.maximumDepth) values lie inside each other", key)
        }
        return ValueDecoder(JSON(json.tape, at: word), self, key)
    }

    /// A decoder of null, for the superclass of an object that has no member for it.
    func nullChild(_ key: any CodingKey) -> ValueDecoder { ValueDecoder(.null, self, key) }

    func context(_ description: String, _ key: (any CodingKey)? = nil) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath + (key.map { [$0] } ?? []), debugDescription: description)
    }

    /// The error of a value of the right kind whose content is not valid.
    func invalid(_ reason: String, _ key: (any CodingKey)? = nil) -> DecodingError {
        .invalid(reason, at: codingPath + (key.map { [$0] } ?? []))
    }

    /// The error of a value that is not of a type. If `isNumber` is true, the type accepts numbers, so a number at
    /// `word` does not fit in the type.
    func failure(_ type: Any.Type, at word: Int, _ key: (any CodingKey)?, isNumber: Bool = false) -> DecodingError {
        let kind = JSON(json.tape, at: word).kind
        // Foundation reports a null instead of a Bool as a wrong type.
        if kind == .null && type != Bool.self {
            return .valueNotFound(type, context("Expected \(type) but found null.", key))
        }
        if kind == .number && isNumber {
            return invalid("the number does not fit in \(type)", key)
        }
        return .typeMismatch(type, context("Expected \(type) but found \(kind).", key))
    }
}

extension JSON {
    /// The shared state of all decoders of one `decode` call, or of several calls with the same options.
    package final class Decoding {
        let options: CodingOptions
        let isSnakeCase: Bool
        let audit: KeyAudit?
        private var values = 0

        package convenience init(_ options: CodingOptions) { self.init(options, nil) }

        init(_ options: CodingOptions, _ audit: KeyAudit?) {
            self.options = options
            isSnakeCase = options.keys == .snakeCase
            self.audit = audit
        }

        package func decode<Value: Decodable>(_ type: Value.Type, from json: JSON) throws -> Value {
            try ValueDecoder(json, self).decode(type)
        }

        /// Called for each value inside another one. Stops if the call for which the document is decoded is over, which
        /// is asked for every 16th value.
        @inline(__always)
        func pass() throws {
            values &+= 1
            if values & 15 == 0 { try Interruption.check() }
        }
    }
}

/// The reason that a value is not valid, as the underlying error of a `DecodingError`: sentences show it.
package struct InvalidValue: Error, SafeToPrint {
    package let description: String
}

extension DecodingError {
    /// The error of a value that has the right kind, but whose content is not valid. The reason contains none of the
    /// content.
    package static func invalid(_ reason: String, at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            Context(
                codingPath: path, debugDescription: "\(reason).", underlyingError: InvalidValue(description: reason)))
    }
}
