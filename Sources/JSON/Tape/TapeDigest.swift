/// A digest of a value that equal values share, whatever the order of their keys and without recursion.
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
                hasher.combine(number.canonical)
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
