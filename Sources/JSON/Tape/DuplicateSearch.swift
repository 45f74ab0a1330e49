/// Finds repeated keys in the objects of one tape, in a time that grows with their number alone, whatever the keys are.
///
/// It goes over every document once, in the order of its text, so it works on bare memory: an array or a reference would be
/// counted at every object. The tape must outlive it.
struct DuplicateSearch: ~Copyable {
    /// A container in which the search stands.
    private struct Open {
        /// Its closing word.
        let last: UInt32
        /// How many keys had been noted before its own; `noKeys` for one whose keys are not.
        let firstKey: UInt32
        static let noKeys = UInt32.max
    }

    private let words: UnsafeMutablePointer<UInt64>
    private var keys: NotedKeys
    /// The containers around the current one.
    private var around: UnsafeMutablePointer<Open>
    private var aroundCount = 0
    private var aroundCapacity = lentContainers
    private var hasGrown = false

    private static let lentContainers = 16

    /// The memory must outlive this.
    private init(_ tape: Tape, _ lent: UnsafeMutableRawPointer) {
        words = tape.words
        keys = NotedKeys(tape, lent)
        around = (lent + NotedKeys.lentBytes).bindMemory(to: Open.self, capacity: Self.lentContainers)
    }

    deinit { if hasGrown { around.deallocate() } }

    /// Marks the keys of every object of a tape and returns the first of them.
    static func mark(_ tape: Tape) -> Int? {
        withSearch(tape) { search in
            search.markAll()
            return search.keys.firstMarked
        }
    }

    /// Marks the keys of one object, and not those inside its values.
    static func mark(object: Int, of tape: Tape) -> Int? {
        withSearch(tape) { search in
            let current = search.enter(object)
            if current.firstKey != Open.noKeys {
                var cursor = object + 1
                while cursor < Int(current.last) {
                    search.keys.note(cursor)
                    cursor = tape.end(of: cursor + 1)
                }
                search.keys.mark(from: 0)
            }
            return search.keys.firstMarked
        }
    }

    /// Lends memory of the stack, which is enough for most documents.
    @inline(__always)
    private static func withSearch(_ tape: Tape, _ body: (inout DuplicateSearch) -> Int?) -> Int? {
        let size = NotedKeys.lentBytes + lentContainers * MemoryLayout<Open>.stride
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { lent in
            guard let lent = lent.baseAddress else { return nil }
            var search = DuplicateSearch(tape, lent)
            return withExtendedLifetime(tape) { body(&search) }
        }
    }

    private mutating func markAll() {
        guard isWorthwhile(words[1], at: 1) else { return }
        var current = enter(1)
        var cursor = 2
        while true {
            let last = Int(current.last)
            let hasKeys = current.firstKey != Open.noKeys
            cursor = hasKeys ? nextInObject(cursor, last) : next(cursor, last)
            if cursor < last {
                if aroundCount == aroundCapacity { grow() }
                around[aroundCount] = current
                aroundCount &+= 1
                current = enter(cursor)
                cursor &+= 1
                continue
            }
            if hasKeys { keys.mark(from: Int(current.firstKey)) }
            guard aroundCount > 0 else { return }
            aroundCount &-= 1
            current = around[aroundCount]
            cursor = last + 1
        }
    }

    /// Opens the container at `index`.
    @inline(__always)
    private mutating func enter(_ index: Int) -> Open {
        let word = words[index]
        let last = UInt32(truncatingIfNeeded: Tape.target(of: word) - 1)
        guard Tape.tag(of: word) == Tag.object else { return Open(last: last, firstKey: Open.noKeys) }
        let members = word >> 32 & Tape.countLimit
        if members <= UInt64(NotedKeys.smallObject) {
            keys.makeRoom(for: Int(truncatingIfNeeded: members))
            return Open(last: last, firstKey: UInt32(truncatingIfNeeded: keys.count))
        }
        keys.markLarge(index)
        return Open(last: last, firstKey: Open.noKeys)
    }

    /// The next container worth opening, or `last`. In a large object the keys are passed over as if they were values.
    @inline(__always)
    private func next(_ start: Int, _ last: Int) -> Int {
        var cursor = start
        while cursor < last {
            let word = words[cursor]
            if mayHoldMembers(word, at: cursor) { return cursor }
            cursor = Tape.end(of: word, at: cursor)
        }
        return last
    }

    /// The same in a small object, whose keys are noted on the way.
    @inline(__always)
    private mutating func nextInObject(_ start: Int, _ last: Int) -> Int {
        var cursor = start
        while cursor < last {
            keys.note(cursor)
            cursor &+= 1
            let word = words[cursor]
            if mayHoldMembers(word, at: cursor) { return cursor }
            cursor = Tape.end(of: word, at: cursor)
        }
        return last
    }

    /// The same as `isWorthwhile`, sooner where it is not.
    @inline(__always)
    private func mayHoldMembers(_ word: UInt64, at index: Int) -> Bool {
        let tag = Tape.tag(of: word)
        return tag != Tag.string && tag != Tag.int && isWorthwhile(word, at: index)
    }

    /// Whether two members of one object have room there: an object of two takes six words, and an array around it eight.
    @inline(__always)
    private func isWorthwhile(_ word: UInt64, at index: Int) -> Bool {
        let tag = Tape.tag(of: word)
        // Both opening characters become `{`, which no other tag does.
        return tag | 0x20 == Tag.object && Tape.target(of: word) &- index >= (tag == Tag.object ? 6 : 8)
    }

    private mutating func grow() {
        let grown = UnsafeMutablePointer<Open>.allocate(capacity: 2 * aroundCapacity)
        grown.update(from: around, count: aroundCount)
        if hasGrown { around.deallocate() }
        around = grown
        hasGrown = true
        aroundCapacity *= 2
    }
}

extension Tape {
    /// The place behind the value that starts with a word, the commonest first. Kinds of values come again in the same order, so
    /// that the branches are foreseen, and nothing waits for the word.
    @inline(__always)
    fileprivate static func end(of word: UInt64, at index: Int) -> Int {
        let tag = tag(of: word)
        if tag == Tag.string { return index &+ 1 }
        if tag == Tag.int { return index &+ 2 }
        if tag | 0x20 == Tag.object { return target(of: word) }
        return tag == Tag.double || tag == Tag.uint ? index &+ 2 : index &+ 1
    }
}
