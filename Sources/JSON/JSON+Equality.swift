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
        return TapeComparison(left: left.tape, right: right.tape).areEqual(left.index, right.index)
    }

    /// Agrees with `==`: every scalar is combined with the path to it, and the results are added.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(TapeDigest(tape: tape).digest(of: index))
    }
}

/// Compares two values with a work list instead of recursion.
struct TapeComparison {
    let left: Tape
    let right: Tape

    func areEqual(_ first: Int, _ second: Int) -> Bool {
        var pending = [(first, second)]
        while let (first, second) = pending.popLast() {
            if let number = left.number(at: first) {
                guard left.isNumber(at: first, number, equalTo: right, at: second) else { return false }
                continue
            }
            let tag = left.tag(at: first)
            guard tag == right.tag(at: second) else { return false }
            switch tag {
            case Tag.string:
                guard areEqualStrings(first, second) else { return false }
            case Tag.array, Tag.object:
                guard left.count(at: first) == right.count(at: second),
                    pairs(first, second, tag, into: &pending)
                else { return false }
            default: break
            }
        }
        return true
    }

    /// Adds the pairs of values to compare; false if the keys differ.
    private func pairs(_ first: Int, _ second: Int, _ tag: UInt8, into pending: inout [(Int, Int)]) -> Bool {
        var leftCursor = first + 1
        var rightCursor = second + 1
        let last = left.end(of: first) - 1
        var index: KeyIndex?
        while leftCursor < last {
            guard tag == Tag.object else {
                pending.append((leftCursor, rightCursor))
                leftCursor = left.end(of: leftCursor)
                rightCursor = right.end(of: rightCursor)
                continue
            }
            // Equal objects mostly have their keys in the same order.
            if index == nil && areEqualStrings(leftCursor, rightCursor) {
                pending.append((leftCursor + 1, rightCursor + 1))
                rightCursor = right.end(of: rightCursor + 1)
            } else {
                let keys = index ?? KeyIndex(right, object: second)
                index = keys
                guard let value = keys.value(forKey: left.bytes(at: leftCursor)) else {
                    return false
                }
                pending.append((leftCursor + 1, value))
            }
            leftCursor = left.end(of: leftCursor + 1)
        }
        return true
    }

    private func areEqualStrings(_ first: Int, _ second: Int) -> Bool {
        left.isString(at: first, equalTo: right.bytes(at: second))
    }
}

/// A digest that equal values share, independent of the order of keys and without recursion.
struct TapeDigest {
    let tape: Tape

    private struct Container {
        let end: Int
        let path: Int
        let isObject: Bool
        var position = 0
    }

    func digest(of root: Int) -> Int {
        var sum = 0
        var open: [Container] = []
        var cursor = root
        let end = tape.end(of: root)
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
            let tag = tape.tag(at: cursor)
            if tag == Tag.object || tag == Tag.array {
                hasher.combine(tag)
                let path = hasher.finalize()
                sum &+= path
                open.append(Container(end: tape.end(of: cursor) - 1, path: path, isObject: tag == Tag.object))
                cursor += 1
                continue
            }
            if let number = tape.number(at: cursor) {
                tape.hash(number, at: cursor, into: &hasher)
            } else {
                hasher.combine(tag)
                if tag == Tag.string { combineString(at: cursor, into: &hasher) }
            }
            sum &+= hasher.finalize()
            cursor = tape.end(of: cursor)
        }
        return sum
    }

    private func combineString(at index: Int, into hasher: inout Hasher) {
        let bytes = tape.bytes(at: index)
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        hasher.combine(bytes.count)
    }
}
