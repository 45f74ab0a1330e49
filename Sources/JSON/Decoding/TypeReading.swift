import PatchbayPlatform
import Synchronization

/// How values of one type are read: some without a decoder of their own, the others by their own initializer.
///
/// It depends on the type alone, and `KnownTypes` remembers it.
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

/// The readings of the types that this process has decoded. To find one out takes longer than to read most values: it asks the
/// runtime for a conformance.
///
/// A place holds the address of a type and its reading, and once taken it never changes: metadata lives as long as the process, so
/// that no other type comes to stand at the address. A type that finds no place is asked for anew each time, so that a program with
/// very many types is slower, and still right.
///
/// `@unchecked Sendable`: two threads could write to one place, or one could read a reading that is not written yet. Neither can
/// happen. Only the thread that has put `taken` where 0 was writes there; it writes the reading first and then stores the address
/// with release, and whoever finds the address has loaded it with acquire, so that it sees the reading. The memory is never given
/// back, so that nobody reads what is gone.
struct KnownTypes: @unchecked Sendable {
    private static let all = KnownTypes()
    private static let capacity = 1024
    /// How many places a type may stand in.
    private static let probes = 16
    /// Stands for an address while the reading is written. No type is there.
    private static let taken: UInt = 1

    private let types = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: capacity)
    private let readings = UnsafeMutablePointer<TypeReading>.allocate(capacity: capacity)

    private init() {
        for place in 0..<Self.capacity {
            (types + place).initialize(to: Atomic(0))
            (readings + place).initialize(to: .other)
        }
    }

    /// How values of a type are read.
    @inline(__always)
    static func reading<Value: Decodable>(of type: Value.Type) -> TypeReading {
        let address = UInt(bitPattern: ObjectIdentifier(type))
        // Metadata is aligned, and that of neighbouring types lies near.
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
            // Another thread may have taken it meanwhile, even for the same type, which then stands here and behind.
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
