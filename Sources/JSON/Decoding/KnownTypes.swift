import Synchronization

/// The readings of the types that this process has decoded. To find one out takes longer than to read most values: it asks the
/// runtime for a conformance.
///
/// A place holds the address of a type, whose metadata lives as long as the process, and its reading; once taken it never changes.
/// A type that finds no place is asked for anew each time.
///
/// `@unchecked Sendable`: a place is written by the one thread that has put `taken` where 0 was. Its reading is written before the
/// address, which is stored with release, and read after the address has been found, by a load that acquires. The memory is never
/// given back.
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
