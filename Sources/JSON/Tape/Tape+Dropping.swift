extension Tape {
    /// Keeps only the value at `root`, and of that all but the members, or elements, that start at some words.
    ///
    /// What stays moves to the front of the same array. As in the parser, an open container holds the index and the count of
    /// its parent until it is closed.
    ///
    /// - Parameter dropped: in rising order; those inside a dropped value have no effect.
    mutating func keep(_ root: Int, dropping dropped: [Int]) {
        let end = end(of: root)
        var read = root
        var write = 1
        var container = 0
        var count: UInt64 = 0
        var isBehindKey = false
        var next = 0

        while read < end {
            let tag = tag(at: read)
            let isKey = container != 0 && self.tag(at: container) == Tag.object && !isBehindKey
            while next < dropped.count && dropped[next] < read { next += 1 }
            if next < dropped.count && dropped[next] == read {
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
        words.removeSubrange(write...)
        words[0] = Tag.word(Tag.root, UInt64(write))
        words.append(Tag.word(Tag.root))
    }
}
