extension Tape {
    /// A copy of all words and strings up to the end of the value at `index`, for `keep`.
    func copy(through index: Int) -> Tape {
        let end = end(of: index)
        // Records need not be in the order of their words.
        var used = 0
        var cursor = index
        while cursor < end {
            switch Self.tag(of: words[cursor]) {
            case Tag.int, Tag.uint: cursor += 1
            case Tag.double:
                if case .text(let record) = LongNumber(payload: words[cursor] & Tag.payload) {
                    used = max(used, record + 1 + Int(strings[record]))
                }
                cursor += 1
            case Tag.string: used = max(used, Self.target(of: words[cursor]) + 4 + bytes(at: cursor).count + 1)
            default: break
            }
            cursor += 1
        }
        // Room for the closing word that `keep` can add.
        return Tape.copying(
            UnsafeBufferPointer(start: words, count: end + 1), UnsafeBufferPointer(start: strings, count: used))
    }

    /// Keeps only the value at `root`, without the members whose key is marked `dropped`, and without marked nulls.
    ///
    /// The kept words move to the front of the same memory. As in the parser, an open container keeps the index and the
    /// count of its parent until it is closed. Call this function only for a tape that is not shared yet.
    func keep(_ root: Int) {
        let end = end(of: root)
        var read = root
        var write = 1
        var container = 0
        var count: UInt64 = 0
        var isBehindKey = false

        while read < end {
            let tag = Self.tag(of: words[read])
            let isKey = container != 0 && Self.tag(of: words[container]) == Tag.object && !isBehindKey
            if words[read] & Self.dropped != 0 && tag != Tag.object && tag != Tag.array {
                read = self.end(of: isKey ? read + 1 : read)
                continue
            }
            if tag == Tag.endObject || tag == Tag.endArray {
                let parent = words[container]
                words[write] = Tag.word(tag, UInt64(container))
                write += 1
                words[container] = Tag.word(tag - 2, count << 32 | UInt64(write))
                container = Int(truncatingIfNeeded: parent & 0xFFFF_FFFF)
                count = (parent >> 32) & Tape.countLimit
                read += 1
                continue
            }
            isBehindKey = isKey
            if !isKey && container != 0 { count = min(count + 1, Tape.countLimit) }
            if tag == Tag.object || tag == Tag.array {
                words[write] = Tag.word(tag, count << 32 | UInt64(container))
                container = write
                count = 0
                write += 1
                read += 1
                continue
            }
            let end = self.end(of: read)
            while read < end {
                words[write] = words[read]
                write += 1
                read += 1
            }
        }
        words[0] = Tag.word(Tag.root, UInt64(write))
        words[write] = Tag.word(Tag.root)
    }
}
