import PatchbayPlatform

/// An array, or a dictionary with arbitrary keys, that is read without the generic containers of `Decodable`.
protocol TapeCollection: Decodable {
    /// Reads the value at a word inside `parent`, as a `Value`, which is the same type as `Self`.
    ///
    /// If reading fails, `usualWay` is called to find the error. `node` makes the decoder of the value, for the coding
    /// paths inside.
    static func read<Value>(
        as type: Value.Type, _ parent: ValueDecoder, at word: Int, _ node: () throws -> ValueDecoder,
        _ usualWay: () throws -> Value
    ) throws -> Value
}

extension Array: TapeCollection where Element: Decodable {
    static func read<Value>(
        as type: Value.Type, _ parent: ValueDecoder, at word: Int, _ node: () throws -> ValueDecoder,
        _ usualWay: () throws -> Value
    ) throws -> Value {
        guard parent.json.tape.tag(at: word) == Tag.array else { return try usualWay() }
        switch KnownTypes.reading(of: Element.self) {
        case .double: return try scalars(Double.self, parent, at: word, usualWay)
        case .int: return try scalars(Int.self, parent, at: word, usualWay)
        case .string: return try scalars(String.self, parent, at: word, usualWay)
        case .collection(let type): return ValueDecoder.same(try collections(type, at: word, try node()))
        default: break
        }
        let node = try node()
        let tape = node.json.tape
        var elements: [Element] = []
        // A document can have many elements of which none is valid, so memory for a large array is not reserved.
        elements.reserveCapacity(Swift.min(tape.count(at: word), Swift.max(1, 1 << 16 / MemoryLayout<Element>.stride)))
        for item in tape.items(of: word) {
            elements.append(try node.value(Element.self, at: item, PathKey.index(elements.count)))
        }
        return ValueDecoder.same(elements)
    }

    /// Only for an `Element` that is `type`.
    private static func collections(
        _ type: any TapeCollection.Type, at word: Int, _ node: ValueDecoder
    ) throws -> Self {
        let tape = node.json.tape
        let count = tape.count(at: word)
        // If an element cannot be read, the elements before it must be freed, and the uninitialised memory after them
        // must not be touched. So `filled` is increased after each element, and the throwing array frees exactly
        // `filled` elements.
        return try Self(unsafeUninitializedCapacity: count) { elements, filled in
            guard let start = elements.baseAddress else { return }
            var cursor = word + 1
            while filled < count {
                try node.session.pass()
                let (index, place) = (filled, cursor)
                func child() throws -> ValueDecoder { try node.child(at: place, PathKey.index(index)) }
                let element = try type.read(as: Element.self, node, at: place, child) { try Element(from: child()) }
                (start + index).initialize(to: element)
                filled += 1
                cursor = tape.end(of: cursor)
            }
        }
    }

    /// Only for an `Element` that is `Scalar`.
    @inline(__always)
    private static func scalars<Scalar: TapeScalar, Value>(
        _ type: Scalar.Type, _ parent: ValueDecoder, at word: Int, _ usualWay: () throws -> Value
    ) throws -> Value {
        let tape = parent.json.tape
        let session = parent.session
        let count = tape.count(at: word)
        let scalars = try [Scalar](unsafeUninitializedCapacity: count) { scalars, filled in
            var cursor = word + 1
            while filled < count, let scalar = Scalar.read(tape, at: cursor, session) {
                scalars.initializeElement(at: filled, to: scalar)
                filled += 1
                cursor = tape.end(of: cursor)
                if filled & 1023 == 0 { try Interruption.check() }
            }
        }
        return scalars.count == count ? ValueDecoder.same(scalars) : try usualWay()
    }
}

extension Dictionary: TapeCollection where Key == String, Value: Decodable {
    static func read<Result>(
        as type: Result.Type, _ parent: ValueDecoder, at word: Int, _ node: () throws -> ValueDecoder,
        _ usualWay: () throws -> Result
    ) throws -> Result {
        guard parent.json.tape.tag(at: word) == Tag.object else { return try usualWay() }
        let node = try node()
        let tape = node.json.tape
        let session = node.session
        var members = Self(minimumCapacity: Swift.min(tape.count(at: word), 256))
        for item in tape.items(of: word) {
            let key = tape.string(at: item)
            session.audit?.ask(session.isSnakeCase ? SnakeCase.camelCased(key) : key, of: node.json)
            members[key] = try node.value(Value.self, at: item + 1, PathKey.name(key))
        }
        return ValueDecoder.same(members)
    }
}
