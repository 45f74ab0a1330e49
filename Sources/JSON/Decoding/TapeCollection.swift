/// An array, or a dictionary whose keys are data, read without the containers that stand between its type and a decoder.
protocol TapeCollection: Decodable {
    /// Reads the value at a word inside `parent` into memory for one `Self`, which it initializes where it returns true.
    ///
    /// False says that the usual way finds the error. `node` makes the decoder of the value, for the path of what lies inside.
    static func read(
        into memory: UnsafeMutableRawPointer, _ parent: ValueDecoder, at word: Int, _ node: () throws -> ValueDecoder
    ) throws -> Bool
}

extension Array: TapeCollection where Element: Decodable {
    static func read(
        into memory: UnsafeMutableRawPointer, _ parent: ValueDecoder, at word: Int, _ node: () throws -> ValueDecoder
    ) throws -> Bool {
        let session = parent.session
        guard parent.json.tape.tag(at: word) == Tag.array else { return false }
        switch session.reading(of: Element.self) {
        case .double: return readScalars(Double.self, into: memory, parent, at: word)
        case .int: return readScalars(Int.self, into: memory, parent, at: word)
        case .string: return readScalars(String.self, into: memory, parent, at: word)
        case .collection(let type): return try readCollections(type, into: memory, at: word, try node())
        default: break
        }
        let node = try node()
        let tape = node.json.tape
        var elements: [Element] = []
        // A document may announce many elements and hold no good one, so large ones are not made room for.
        elements.reserveCapacity(Swift.min(tape.count(at: word), Swift.max(1, 1 << 16 / MemoryLayout<Element>.stride)))
        var cursor = word + 1
        let last = tape.end(of: word) - 1
        while cursor < last {
            elements.append(try node.value(Element.self, at: cursor, PathKey.index(elements.count)))
            cursor = tape.end(of: cursor)
        }
        memory.initializeMemory(as: Self.self, to: elements)
        return true
    }

    /// Only for an `Element` that is this type.
    private static func readCollections(
        _ type: any TapeCollection.Type, into memory: UnsafeMutableRawPointer, at word: Int, _ node: ValueDecoder
    ) throws -> Bool {
        let tape = node.json.tape
        let count = tape.count(at: word)
        let elements = try Self(unsafeUninitializedCapacity: count) { elements, filled in
            guard let start = elements.baseAddress else { return }
            var cursor = word + 1
            while filled < count {
                let index = filled
                let place = UnsafeMutableRawPointer(start + index)
                if try !type.read(into: place, node, at: cursor, { try node.child(at: cursor, PathKey.index(index)) }) {
                    let child = try node.child(at: cursor, PathKey.index(index))
                    (start + index).initialize(to: try Element(from: child))
                }
                filled += 1
                cursor = tape.end(of: cursor)
            }
        }
        memory.initializeMemory(as: Self.self, to: elements)
        return true
    }

    /// Only for an `Element` that is `Scalar`.
    @inline(__always)
    private static func readScalars<Scalar: TapeScalar>(
        _ type: Scalar.Type, into memory: UnsafeMutableRawPointer, _ parent: ValueDecoder, at word: Int
    ) -> Bool {
        let tape = parent.json.tape
        let options = parent.session.options
        let count = tape.count(at: word)
        let scalars = [Scalar](unsafeUninitializedCapacity: count) { scalars, filled in
            var cursor = word + 1
            while filled < count, let scalar = Scalar.read(tape, at: cursor, options) {
                scalars.initializeElement(at: filled, to: scalar)
                filled += 1
                cursor = tape.end(of: cursor)
            }
        }
        guard scalars.count == count else { return false }
        memory.initializeMemory(as: [Scalar].self, to: scalars)
        return true
    }
}

extension Dictionary: TapeCollection where Key == String, Value: Decodable {
    static func read(
        into memory: UnsafeMutableRawPointer, _ parent: ValueDecoder, at word: Int, _ node: () throws -> ValueDecoder
    ) throws -> Bool {
        guard parent.json.tape.tag(at: word) == Tag.object else { return false }
        let node = try node()
        let tape = node.json.tape
        let session = node.session
        var members = Self(minimumCapacity: Swift.min(tape.count(at: word), 256))
        var cursor = word + 1
        let last = tape.end(of: word) - 1
        while cursor < last {
            let key = tape.string(at: cursor)
            session.audit?.ask(session.isSnakeCase ? SnakeCase.camelCased(key) : key, of: node.json)
            members[key] = try node.value(Value.self, at: cursor + 1, PathKey.name(key))
            cursor = tape.end(of: cursor + 1)
        }
        memory.initializeMemory(as: Self.self, to: members)
        return true
    }
}
