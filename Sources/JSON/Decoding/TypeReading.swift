import PatchbayPlatform
import Synchronization

/// The way in which values of one type are read: directly from the tape or, for `other`, by the initialiser of the
/// type.
///
/// A reading depends only on the type, and `KnownTypes` caches it.
enum TypeReading {
    case double
    case string
    case int
    case json
    case date
    case data
    case url
    case decimal
    case collection(any TapeCollection.Type)
    case other

    init<Value: Decodable>(of type: Value.Type) {
        switch type {
        case is Double.Type: self = .double
        case is String.Type: self = .string
        case is Int.Type: self = .int
        case is JSON.Type: self = .json
        case is Date.Type: self = .date
        case is Data.Type: self = .data
        case is URL.Type: self = .url
        case is Decimal.Type: self = .decimal
        case let type as any TapeCollection.Type: self = .collection(type)
        default: self = .other
        }
    }
}

/// The cached readings of decoded types. Finding a reading takes longer than reading most values, because the runtime
/// must look up a conformance.
///
/// A slot has the address of a type and its reading, and never changes once it is taken: metadata lives as long as the
/// process, so no other type gets the address. For a type without a free slot, the reading is found again each time: a
/// program with very many types is slower, but correct.
///
/// `@unchecked Sendable`: two threads could write to one slot, or one could read an unwritten reading. Neither happens:
/// only the thread that replaced 0 with `taken` writes to the slot; it writes the reading and then stores the address
/// with release, and readers load the address with acquire, so they see the reading. The memory is never freed.
struct KnownTypes: @unchecked Sendable {
    private static let all = KnownTypes()
    private static let capacity = 1024
    /// The number of slots that are tried for one type.
    private static let probes = 16
    /// The value of a slot while its reading is written. No type has this address.
    private static let taken: UInt = 1

    private let types = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: capacity)
    private let readings = UnsafeMutablePointer<TypeReading>.allocate(capacity: capacity)

    private init() {
        for place in 0..<Self.capacity {
            (types + place).initialize(to: Atomic(0))
            (readings + place).initialize(to: .other)
        }
    }

    /// The way in which values of a type are read.
    @inline(__always)
    static func reading<Value: Decodable>(of type: Value.Type) -> TypeReading {
        let address = UInt(bitPattern: ObjectIdentifier(type))
        // Metadata is aligned, so the lowest bits are dropped. The metadata of neighbouring types is close together, so
        // higher bits are mixed in.
        let start = Int(truncatingIfNeeded: address >> 4 ^ address >> 11)
        let place = start & (capacity - 1)
        if all.types[place].load(ordering: .acquiring) == address { return all.readings[place] }
        return all.search(type, address, start)
    }

    @inline(never)
    private func search<Value: Decodable>(_ type: Value.Type, _ address: UInt, _ start: Int) -> TypeReading {
        var found: TypeReading?
        for probe in 0..<Self.probes {
            let place = (start &+ probe) & (Self.capacity - 1)
            let former = types[place].load(ordering: .acquiring)
            if former == address { return readings[place] }
            guard former == 0 else { continue }
            let reading = found ?? TypeReading(of: type)
            found = reading
            // Another thread can have taken the slot since the load, even for the same type, which then has two slots.
            guard types[place].compareExchange(expected: 0, desired: Self.taken, ordering: .relaxed).exchanged else {
                continue
            }
            readings[place] = reading
            types[place].store(address, ordering: .releasing)
            return reading
        }
        return found ?? TypeReading(of: type)
    }
}
