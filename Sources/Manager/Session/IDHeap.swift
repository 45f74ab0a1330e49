/// Ids with a key each: a binary heap that gives the id with the least key, and finds any other.
struct IDHeap<Key: Comparable & Sendable>: Sendable {
    private var items: [(key: Key, id: Int)] = []
    /// The place of each id among the items.
    private var places: [Int: Int] = [:]

    /// The id with the least key; of several, the least id.
    var least: Int? { items.first?.id }

    /// Adds the id or changes its key. Without a key, removes the id.
    mutating func set(_ key: Key?, for id: Int) {
        guard let key else { return remove(id) }
        let place = places[id] ?? items.count
        if place == items.count { items.append((key, id)) } else { items[place].key = key }
        places[id] = place
        settle(place)
    }

    private mutating func remove(_ id: Int) {
        guard let place = places.removeValue(forKey: id), let last = items.popLast(), place < items.count else {
            return
        }
        items[place] = last
        places[last.id] = place
        settle(place)
    }

    /// Moves the item up or down to where no item above it is greater.
    private mutating func settle(_ start: Int) {
        var place = start
        while place > 0, isLess(place, (place - 1) / 2) {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        while true {
            var least = place
            for below in [2 * place + 1, 2 * place + 2] where below < items.count && isLess(below, least) {
                least = below
            }
            guard least != place else { return }
            swap(place, least)
            place = least
        }
    }

    private func isLess(_ one: Int, _ other: Int) -> Bool {
        items[one].key == items[other].key ? items[one].id < items[other].id : items[one].key < items[other].key
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        items.swapAt(one, other)
        places[items[one].id] = one
        places[items[other].id] = other
    }
}
