/// Compares two values with a work list in place of recursion.
struct TapeComparison {
    let left: Tape
    let right: Tape

    func areEqual(_ first: Int, _ second: Int) -> Bool {
        var pending = [(first, second)]
        while let (first, second) = pending.popLast() {
            if let number = left.number(at: first) {
                guard right.number(at: second)?.canonical == number.canonical else { return false }
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

    /// Adds the pairs of values to compare; false where the keys differ.
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
            // The keys of most equal objects stand in the same order.
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
