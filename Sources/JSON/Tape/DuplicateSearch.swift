/// Finds repeated keys in the objects of one tape, in a time that grows with their number alone, whatever the keys are.
///
/// It runs over every document, so it works on bare memory: an array or a reference would be counted at every object. The tape
/// must outlive it.
struct DuplicateSearch: ~Copyable {
    /// Up to so many keys are compared with each other, more are first looked up in a filter, and more go into a hash table.
    private static let tinyObject = 4
    private static let smallObject = 64

    private let tape: Unmanaged<Tape>
    private let words: UnsafeMutablePointer<UInt64>
    private let strings: UnsafePointer<UInt8>
    /// The signatures and the words of the keys of a small object, and 1,024 bits that say which signatures may be among them.
    private let signatures = UnsafeMutablePointer<UInt64>.allocate(capacity: smallObject)
    private let keys = UnsafeMutablePointer<UInt32>.allocate(capacity: smallObject)
    private let filter = UnsafeMutablePointer<UInt64>.allocate(capacity: 16)
    /// Containers still to be looked into.
    private var pending = UnsafeMutablePointer<UInt32>.allocate(capacity: 64)
    private var pendingCount = 0
    private var pendingCapacity = 64
    /// The first marked key, beyond all words where there is none.
    private var first = Int.max

    private init(_ tape: Tape) {
        self.tape = .passUnretained(tape)
        words = tape.words
        strings = UnsafePointer(tape.strings)
    }

    deinit {
        signatures.deallocate()
        keys.deallocate()
        filter.deallocate()
        pending.deallocate()
    }

    /// Marks the keys of every object of a tape and returns the first of them.
    static func mark(_ tape: Tape) -> Int? {
        var search = DuplicateSearch(tape)
        search.visit(1)
        while search.pendingCount > 0 {
            search.pendingCount -= 1
            search.mark(container: Int(search.pending[search.pendingCount]))
        }
        return withExtendedLifetime(tape) { search.first == .max ? nil : search.first }
    }

    /// Marks the keys of one object, and not those inside its values.
    static func mark(object: Int, of tape: Tape) -> Int? {
        var search = DuplicateSearch(tape)
        search.mark(container: object)
        return withExtendedLifetime(tape) { search.first == .max ? nil : search.first }
    }

    private mutating func mark(container: Int) {
        let word = words[container]
        let last = Tape.target(of: word) - 1
        if Tape.tag(of: word) == Tag.array {
            var cursor = container + 1
            while cursor < last {
                // Arrays of numbers are long, and then this branch is foreseen.
                let tag = Tape.tag(of: words[cursor])
                cursor = tag == Tag.double || tag == Tag.int ? cursor + 2 : visit(cursor)
            }
            return
        }
        switch Int(truncatingIfNeeded: word >> 32 & Tape.countLimit) {
        case ...Self.tinyObject: markTiny(container + 1, last)
        case ...Self.smallObject: markSmall(container + 1, last)
        default: markLarge(container, last)
        }
    }

    /// Notes a container for later, unless it is too small, and returns the end of the value.
    @discardableResult @inline(__always)
    private mutating func visit(_ index: Int) -> Int {
        let word = words[index]
        let tag = Tape.tag(of: word)
        // Both opening characters become `{`, which no other tag does.
        if tag | 0x20 == Tag.object {
            // An object of two members takes six words, and an array around it eight.
            if Tape.target(of: word) - index >= (tag == Tag.object ? 6 : 8) {
                if pendingCount == pendingCapacity { grow() }
                pending[pendingCount] = UInt32(truncatingIfNeeded: index)
                pendingCount += 1
            }
            return Tape.target(of: word)
        }
        // Values follow each other without a pattern, so the second word of a number is added without a branch.
        return index + 1 + Int(truncatingIfNeeded: Self.wide >> UInt64(tag & 63) & 1)
    }

    /// The tags of two words, one bit each.
    private static let wide: UInt64 = 1 << (0x64 & 63) | 1 << (0x6C & 63) | 1 << (0x75 & 63)

    private mutating func grow() {
        let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * pendingCapacity)
        grown.update(from: pending, count: pendingCount)
        pending.deallocate()
        pending = grown
        pendingCapacity *= 2
    }

    private mutating func markTiny(_ start: Int, _ last: Int) {
        var count = 0
        var cursor = start
        while cursor < last {
            let signature = signature(at: cursor)
            compare(signature, cursor, count)
            signatures[count] = signature
            keys[count] = UInt32(truncatingIfNeeded: cursor)
            count += 1
            cursor = visit(cursor + 1)
        }
    }

    private mutating func markSmall(_ start: Int, _ last: Int) {
        filter.update(repeating: 0, count: 16)
        var count = 0
        var cursor = start
        while cursor < last {
            let signature = signature(at: cursor)
            let hash = signature &* 0x9E37_79B9_7F4A_7C15
            let slot = Int(truncatingIfNeeded: hash >> 60)
            let bit = UInt64(1) << (hash >> 54 & 63)
            if filter[slot] & bit != 0 { compare(signature, cursor, count) }
            filter[slot] |= bit
            signatures[count] = signature
            keys[count] = UInt32(truncatingIfNeeded: cursor)
            count += 1
            cursor = visit(cursor + 1)
        }
    }

    /// Compares a key with those before it, the latest first, by signatures that differ for most different keys.
    @inline(__always)
    private mutating func compare(_ signature: UInt64, _ key: Int, _ count: Int) {
        var former = count - 1
        while former >= 0 {
            if signatures[former] == signature && areEqual(Int(keys[former]), key) {
                mark(Int(keys[former]))
                return
            }
            former -= 1
        }
    }

    private mutating func mark(_ key: Int) {
        words[key] |= Tape.dropped
        first = min(first, key)
    }

    private func areEqual(_ left: Int, _ right: Int) -> Bool {
        tape._withUnsafeGuaranteedRef { $0.isString(at: left, equalTo: $0.bytes(at: right)) }
    }

    /// An open table of the words of keys, by a hash that nobody outside can foresee.
    private mutating func markLarge(_ object: Int, _ last: Int) {
        let members = tape._withUnsafeGuaranteedRef { $0.count(at: object) }
        var capacity = 128
        while capacity / 4 * 3 < members { capacity *= 2 }
        var table = [UInt32](repeating: 0, count: capacity)
        var cursor = object + 1
        while cursor < last {
            var hasher = Hasher()
            tape._withUnsafeGuaranteedRef { hasher.combine(bytes: UnsafeRawBufferPointer($0.bytes(at: cursor))) }
            var slot = hasher.finalize() & (capacity - 1)
            while table[slot] != 0 {
                let former = Int(table[slot])
                if areEqual(former, cursor) {
                    mark(former)
                    break
                }
                slot = (slot + 1) & (capacity - 1)
            }
            table[slot] = UInt32(truncatingIfNeeded: cursor)
            cursor = visit(cursor + 1)
        }
    }

    /// Mixes the length, the first four and the last eight bytes of a string; shorter ones whole.
    @inline(__always)
    private func signature(at key: Int) -> UInt64 {
        let record = UnsafeRawPointer(strings + Tape.target(of: words[key]))
        // The length stands first, and behind every record lie other ones or the padding.
        let head = record.loadUnaligned(as: UInt64.self)
        let length = Int(UInt32(truncatingIfNeeded: UInt64(littleEndian: head)))
        if length < 4 { return head & ((1 << UInt64(truncatingIfNeeded: 32 + 8 * length)) &- 1) }
        return head &* 0x9E37_79B9_7F4A_7C15 ^ (record + length - 4).loadUnaligned(as: UInt64.self)
    }
}
