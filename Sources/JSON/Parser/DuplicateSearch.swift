/// Finds repeated keys in the objects of one tape, in time that grows with their number, whatever the keys are.
///
/// The search reads every document once, so it works on raw memory: an array or a reference would be reference-counted
/// at every object. The memory cannot be freed meanwhile: `withSearch` keeps the tape alive and lends the table during
/// its body.
///
/// Each object is a hash table whose hash is computed from the length and twelve bytes of a key. An attacker can choose
/// keys with the same hash, which would make the search quadratic. So unsuccessful probes are counted, and if there are
/// more than normal keys need, the object is searched again with a seeded hash (hash flooding).
struct DuplicateSearch: ~Copyable {
    /// The size of the table in stack memory. It is enough for objects of up to 64 keys, which nearly all objects are:
    /// the table is then at most half full.
    private static let lentPlaces = 128
    /// The number of unsuccessful probes for each key after which the keys are treated as an attack. A table that is at
    /// most three quarters full needs fewer than two for each key on average.
    private static let honestMisses = 4
    /// An odd number without a pattern: multiplying with it spreads values over the upper bits.
    private static let mixer: UInt64 = 0x9E37_79B9_7F4A_7C15

    private let tape: Unmanaged<Tape>
    private let words: UnsafeMutablePointer<UInt64>
    private let strings: UnsafePointer<UInt8>
    private let lent: UnsafeMutablePointer<UInt32>
    /// The first marked key; beyond all words if there is none.
    private var first = Int.max

    private init(_ tape: Tape, _ lent: UnsafeMutablePointer<UInt32>) {
        self.tape = .passUnretained(tape)
        words = tape.words
        strings = UnsafePointer(tape.strings)
        self.lent = lent
    }

    /// Marks the keys of every object of a tape that a later key repeats. Returns the first marked key.
    static func mark(_ tape: Tape) -> Int? {
        withSearch(tape) { $0.markAll() }
    }

    /// Marks the repeated keys of one object, without the objects inside it. Returns the first marked key.
    static func mark(object: Int, of tape: Tape) -> Int? {
        withSearch(tape) { search in
            let word = tape.words[object]
            if search.mayRepeat(word, at: object) { _ = search.markKeys(of: object, word) }
        }
    }

    @inline(__always)
    private static func withSearch(_ tape: Tape, _ body: (inout DuplicateSearch) -> Void) -> Int? {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: lentPlaces) { lent in
            guard let lent = lent.baseAddress else { return nil }
            var search = DuplicateSearch(tape, lent)
            withExtendedLifetime(tape) { body(&search) }
            return search.first == .max ? nil : search.first
        }
    }

    /// An object without inner objects is skipped after its keys were searched.
    private mutating func markAll() {
        let end = Tape.target(of: words[0])
        var cursor = 1
        while cursor < end {
            let word = words[cursor]
            // Branches, the most frequent kind first: kinds of values repeat in the same order, so the processor
            // predicts the branches and need not wait for the word.
            switch Tape.tag(of: word) {
            case Tag.string: cursor &+= 1
            case Tag.int: cursor &+= 2
            case Tag.object:
                let holdsMore = mayRepeat(word, at: cursor) && markKeys(of: cursor, word)
                cursor = holdsMore ? cursor &+ 1 : Tape.target(of: word)
            case Tag.array: cursor = mayRepeat(word, at: cursor) ? cursor &+ 1 : Tape.target(of: word)
            case Tag.double, Tag.uint: cursor &+= 2
            default: cursor &+= 1
            }
        }
    }

    /// Whether a container has room for two members of one object: an object of two members takes six words, and an
    /// array around it eight.
    @inline(__always)
    private func mayRepeat(_ word: UInt64, at index: Int) -> Bool {
        Tape.target(of: word) &- index >= (Tape.tag(of: word) == Tag.object ? 6 : 8)
    }

    /// Marks the keys of an object of at least two members. Returns whether its values can contain objects.
    @inline(__always)
    private mutating func markKeys(of object: Int, _ word: UInt64) -> Bool {
        let members = Int(truncatingIfNeeded: word >> 32 & Tape.countLimit)
        guard members &* 2 <= Self.lentPlaces else { return markLarge(object) }
        let honest = look(at: object, members, lent, places: members &* 2) { $0.signature(at: $1) }
        return honest ?? markHostile(object, members, lent, places: members * 2)
    }

    @inline(never)
    private mutating func markLarge(_ object: Int) -> Bool {
        let members = tape._withUnsafeGuaranteedRef { $0.count(at: object) }
        let table = UnsafeMutablePointer<UInt32>.allocate(capacity: Self.capacity(members * 4 / 3))
        defer { table.deallocate() }
        let honest = look(at: object, members, table, places: members * 4 / 3) { $0.signature(at: $1) }
        return honest ?? markHostile(object, members, table, places: members * 4 / 3)
    }

    @inline(never)
    private mutating func markHostile(
        _ object: Int, _ members: Int, _ table: UnsafeMutablePointer<UInt32>, places: Int
    ) -> Bool {
        let holdsMore = look(at: object, members, table, places: places, maximumMisses: .max) { search, key in
            var hasher = Hasher()
            search.tape._withUnsafeGuaranteedRef { hasher.combine(bytes: UnsafeRawBufferPointer($0.bytes(at: key))) }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        return holdsMore ?? true
    }

    /// The next power of two.
    @inline(__always)
    private static func capacity(_ places: Int) -> Int { 1 &<< (64 &- (places &- 1).leadingZeroBitCount) }

    /// Compares each key of an object with the keys before it, by a hash table. Returns whether the values can contain
    /// objects; nil if the search takes too long. Repeating the search is harmless: a mark means two equal keys,
    /// however they were found.
    ///
    /// - Parameters:
    ///   - places: the least size of the table, larger than the number of members, so that a search ends.
    ///   - hash: a hash whose upper bits are used.
    @inline(__always)
    private mutating func look(
        at object: Int, _ members: Int, _ table: UnsafeMutablePointer<UInt32>, places: Int, maximumMisses: Int? = nil,
        _ hash: (borrowing DuplicateSearch, Int) -> UInt64
    ) -> Bool? {
        let capacity = Self.capacity(places)
        let shift = UInt64(truncatingIfNeeded: capacity.leadingZeroBitCount &+ 1)
        table.update(repeating: 0, count: capacity)
        var misses = maximumMisses ?? Self.honestMisses &* members
        var holdsMore = false
        let last = Tape.target(of: words[object]) &- 1
        var cursor = object &+ 1
        while cursor < last {
            let key = cursor
            let value = words[key &+ 1]
            switch Tape.tag(of: value) {
            case Tag.string: cursor &+= 2
            case Tag.int: cursor &+= 3
            case Tag.object, Tag.array:
                holdsMore = holdsMore || mayRepeat(value, at: key &+ 1)
                cursor = Tape.target(of: value)
            case Tag.double, Tag.uint: cursor &+= 3
            default: cursor &+= 2
            }
            var place = Int(truncatingIfNeeded: hash(self, key) &>> shift)
            while table[place] != 0 {
                let former = Int(table[place])
                if areEqual(former, key) {
                    words[former] |= Tape.dropped
                    first = min(first, former)
                    break
                }
                guard misses > 0 else { return nil }
                misses &-= 1
                place = (place &+ 1) & (capacity &- 1)
            }
            // Word 0 is no key.
            table[place] = UInt32(truncatingIfNeeded: key)
        }
        return holdsMore
    }

    @inline(__always)
    private func areEqual(_ left: Int, _ right: Int) -> Bool {
        tape._withUnsafeGuaranteedRef { $0.isString(at: left, equalTo: $0.bytes(at: right)) }
    }

    /// A hash of the length, the first four and the last eight bytes of a string, or of all bytes of a shorter string.
    @inline(__always)
    private func signature(at key: Int) -> UInt64 {
        let record = UnsafeRawPointer(strings + Tape.target(of: words[key]))
        // Eight bytes can be read from the start of every record, because other records or the padding follow. If a
        // string has at least four bytes, its last eight bytes begin in its record: four bytes of length come before
        // it.
        let head = record.loadUnaligned(as: UInt64.self)
        let length = Int(UInt32(truncatingIfNeeded: UInt64(littleEndian: head)))
        let mixed =
            length < 4
            ? head & ((1 << UInt64(truncatingIfNeeded: 32 &+ 8 &* length)) &- 1)
            : head &* Self.mixer ^ (record + length - 4).loadUnaligned(as: UInt64.self)
        return mixed &* Self.mixer
    }
}

extension Tape {
    /// A mark in the word of a key whose member is to be removed, or in the word of a null; only until `keep` has run.
    static let dropped: UInt64 = 1 << 55

    /// The word of the first repetition of the key at `key`.
    func repetition(ofKey key: Int) -> Int? {
        var cursor = end(of: key + 1)
        while tag(at: cursor) == Tag.string {
            if isString(at: cursor, equalTo: bytes(at: key)) { return cursor }
            cursor = end(of: cursor + 1)
        }
        return nil
    }
}
