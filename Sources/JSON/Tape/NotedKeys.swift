/// The keys of the small objects in which a search for repeated ones stands, and the search among the keys of one object.
struct NotedKeys: ~Copyable {
    /// Up to so many keys are compared with each other, more are first looked up in a filter, and more go into a hash table.
    private static let tinyObject = 4
    static let smallObject = 64
    /// The first objects of a document, which may be its only ones, are compared key by key up to this size.
    private static let firstObject = 16
    /// How many bytes of memory `init` is lent.
    static let lentBytes = smallObject * (MemoryLayout<UInt64>.stride + MemoryLayout<UInt32>.stride)

    private let tape: Unmanaged<Tape>
    private let words: UnsafeMutablePointer<UInt64>
    private let strings: UnsafePointer<UInt8>
    private var shapes = KeyShapes()
    private var firstObjects = 2
    private var signatures: UnsafeMutablePointer<UInt64>
    private var keys: UnsafeMutablePointer<UInt32>
    /// Whether both have outgrown what was lent.
    private var hasGrown = false
    private(set) var count = 0
    private var capacity = smallObject
    /// The first marked key, beyond all words where there is none.
    private var first = Int.max

    /// The tape and the memory, of `lentBytes`, must outlive this.
    init(_ tape: Tape, _ lent: UnsafeMutableRawPointer) {
        signatures = lent.bindMemory(to: UInt64.self, capacity: Self.smallObject)
        keys = (lent + Self.smallObject * MemoryLayout<UInt64>.stride).bindMemory(
            to: UInt32.self, capacity: Self.smallObject)
        self.tape = .passUnretained(tape)
        words = tape.words
        strings = UnsafePointer(tape.strings)
    }

    deinit {
        guard hasGrown else { return }
        signatures.deallocate()
        keys.deallocate()
    }

    /// The word of the first key that has been marked.
    var firstMarked: Int? { first == .max ? nil : first }

    /// Makes room for so many keys more, at most 64.
    @inline(__always)
    mutating func makeRoom(for members: Int) {
        if count &+ members > capacity { grow() }
    }

    @inline(__always)
    mutating func note(_ key: Int) {
        signatures[count] = signature(at: key)
        keys[count] = UInt32(truncatingIfNeeded: key)
        count &+= 1
    }

    /// Marks the keys noted from `start` on that one behind them repeats, and forgets them all.
    @inline(__always)
    mutating func mark(from start: Int) {
        let added = count &- start
        if added > Self.tinyObject && (added > Self.firstObject || firstObjects == 0) {
            if !shapes.holds(signatures + start, count &- start) { markByFilter(start) }
        } else {
            if added > Self.tinyObject { firstObjects &-= 1 }
            var index = start &+ 1
            while index < count {
                compare(index, start)
                index &+= 1
            }
        }
        count = start
    }

    private mutating func markByFilter(_ start: Int) {
        shapes.clearFilter()
        var areDifferent = true
        for index in start..<count where shapes.filter(signatures[index]) {
            if compare(index, start) { areDifferent = false }
        }
        if areDifferent { shapes.keep(signatures + start, count - start) }
    }

    /// Compares a key with those before it, the latest first, by signatures that differ for most different keys, and says
    /// whether one has the same.
    @discardableResult @inline(__always)
    private mutating func compare(_ index: Int, _ start: Int) -> Bool {
        var hasSame = false
        var former = index &- 1
        while former >= start {
            if signatures[former] == signatures[index] {
                hasSame = true
                if areEqual(Int(keys[former]), Int(keys[index])) {
                    mark(Int(keys[former]))
                    break
                }
            }
            former &-= 1
        }
        return hasSame
    }

    /// The same for an object of any size, by an open table of the words of its keys and a hash that nobody outside can foresee.
    mutating func markLarge(_ object: Int) {
        tape._withUnsafeGuaranteedRef { tape in
            var capacity = 128
            let members = tape.count(at: object)
            while capacity / 4 * 3 < members { capacity *= 2 }
            var table = [UInt32](repeating: 0, count: capacity)
            var cursor = object + 1
            let last = tape.end(of: object) - 1
            while cursor < last {
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(tape.bytes(at: cursor)))
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
                cursor = tape.end(of: cursor + 1)
            }
        }
    }

    private mutating func mark(_ key: Int) {
        words[key] |= Tape.dropped
        first = min(first, key)
    }

    private func areEqual(_ left: Int, _ right: Int) -> Bool {
        tape._withUnsafeGuaranteedRef { $0.isString(at: left, equalTo: $0.bytes(at: right)) }
    }

    /// Mixes the length, the first four and the last eight bytes of a string; shorter ones whole.
    @inline(__always)
    private func signature(at key: Int) -> UInt64 {
        let record = UnsafeRawPointer(strings + Tape.target(of: words[key]))
        // The length stands first, and behind every record lie other ones or the padding.
        let head = record.loadUnaligned(as: UInt64.self)
        let length = Int(UInt32(truncatingIfNeeded: UInt64(littleEndian: head)))
        if length < 4 { return head & ((1 << UInt64(truncatingIfNeeded: 32 &+ 8 &* length)) &- 1) }
        return head &* KeyShapes.mixer ^ (record + length - 4).loadUnaligned(as: UInt64.self)
    }

    private mutating func grow() {
        signatures = moved(signatures)
        keys = moved(keys)
        hasGrown = true
        capacity *= 2
    }

    private func moved<Element: BitwiseCopyable>(
        _ old: UnsafeMutablePointer<Element>
    ) -> UnsafeMutablePointer<Element> {
        let new = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
        new.update(from: old, count: count)
        if hasGrown { old.deallocate() }
        return new
    }
}
