extension JSON: Hashable {
    /// Compares numbers by decimal value, objects without regard to the order of their keys, and strings by bytes.
    ///
    /// So 1 equals 1.0, -0.0 equals 0, and 0.1 differs from 0.10000000000000000001. The value of a number is that of
    /// `decimal`, without a limit of digits; integers are compared exactly.
    ///
    /// A number of more than 255 characters is compared by its nearest Double. So is a number of at most 15 digits that
    /// is nearer to zero than the smallest normal Double (2.2e-308). A number whose nearest Double is 0 equals 0:
    /// `1e-400 == 0`. A `JSON` made from a Double has the value of the Double's shortest text.
    public static func == (left: JSON, right: JSON) -> Bool {
        if left.tape === right.tape && left.index == right.index { return true }
        return left.tape.isEqual(at: left.index, to: right.tape, at: right.index)
    }

    /// Agrees with `==`: every scalar is combined with the path to it, and the results are added.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tape.digest(of: index))
    }
}

extension Tape {
    /// Compares two values with a work list instead of recursion.
    func isEqual(at first: Int, to right: Tape, at second: Int) -> Bool {
        var pending = [(first, second)]
        while let (first, second) = pending.popLast() {
            if let number = number(at: first) {
                guard isNumber(at: first, number, equalTo: right, at: second) else { return false }
                continue
            }
            let tag = self.tag(at: first)
            guard tag == right.tag(at: second) else { return false }
            switch tag {
            case Tag.string:
                guard isString(at: first, equalTo: right.bytes(at: second)) else { return false }
            case Tag.array:
                guard count(at: first) == right.count(at: second) else { return false }
                pending.append(contentsOf: zip(items(of: first), right.items(of: second)))
            case Tag.object:
                guard count(at: first) == right.count(at: second), pairs(first, right, second, into: &pending) else {
                    return false
                }
            default: break
            }
        }
        return true
    }

    /// Adds the pairs of values of two objects with equally many members; false if the keys differ.
    private func pairs(_ first: Int, _ right: Tape, _ second: Int, into pending: inout [(Int, Int)]) -> Bool {
        var others = right.items(of: second)
        var index: KeyIndex?
        for key in items(of: first) {
            // Equal objects mostly have their keys in the same order.
            if index == nil, let other = others.next(), isString(at: key, equalTo: right.bytes(at: other)) {
                pending.append((key + 1, other + 1))
                continue
            }
            let keys = index ?? KeyIndex(right, object: second)
            index = keys
            guard let value = keys.value(forKey: bytes(at: key)) else { return false }
            pending.append((key + 1, value))
        }
        return true
    }

    /// A digest that equal values share, independent of the order of keys and without recursion.
    func digest(of root: Int) -> Int {
        var sum = 0
        var open: [(end: Int, path: Int, isObject: Bool, position: Int)] = []
        var cursor = root
        let end = end(of: root)
        while cursor < end {
            if let container = open.last, cursor == container.end {
                open.removeLast()
                cursor += 1
                continue
            }
            var hasher = Hasher()
            if let container = open.last {
                hasher.combine(container.path)
                if container.isObject {
                    combineString(at: cursor, into: &hasher)
                    cursor += 1
                } else {
                    hasher.combine(container.position)
                }
                open[open.count - 1].position += 1
            }
            let tag = self.tag(at: cursor)
            if tag == Tag.object || tag == Tag.array {
                hasher.combine(tag)
                let path = hasher.finalize()
                sum &+= path
                open.append((self.end(of: cursor) - 1, path, tag == Tag.object, 0))
                cursor += 1
                continue
            }
            if let number = number(at: cursor) {
                hash(number, at: cursor, into: &hasher)
            } else {
                hasher.combine(tag)
                if tag == Tag.string { combineString(at: cursor, into: &hasher) }
            }
            sum &+= hasher.finalize()
            cursor = self.end(of: cursor)
        }
        return sum
    }

    private func combineString(at index: Int, into hasher: inout Hasher) {
        let bytes = bytes(at: index)
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        hasher.combine(bytes.count)
    }
}
