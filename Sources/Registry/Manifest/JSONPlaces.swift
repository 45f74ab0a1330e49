import PatchbayJSON
import PatchbayPlatform

/// The pointers of all values of a document in the order of its text, to find the one at a place.
struct JSONPlaces {
    private var pointers: [String] = []

    init(_ json: JSON) {
        add(json, at: "")
    }

    /// The first value that begins behind a place. Asks for the position of few values, as each costs a parse.
    func first(after place: (line: Int, column: Int), in bytes: Data) -> String? {
        var low = 0
        var high = pointers.count
        while low < high {
            let middle = low + (high - low) / 2
            guard let position = JSON.position(of: pointers[middle], in: bytes) else { return nil }
            if position > place { high = middle } else { low = middle + 1 }
        }
        return low < pointers.count ? pointers[low] : nil
    }

    /// The depth is bounded by the parser's limit.
    private mutating func add(_ json: JSON, at pointer: String) {
        pointers.append(pointer)
        for (key, value) in json.object.map(Array.init) ?? [] {
            add(value, at: pointer + "/" + JSONPointer.escaped(key))
        }
        for (position, value) in (json.array ?? []).enumerated() { add(value, at: "\(pointer)/\(position)") }
    }
}
