/// The order of one list, changed by the `order` and the `place`s of one manifest.
///
/// `order` is applied first, then each `place`. A contradiction is a fault, and leaves the list unchanged.
struct ListArrangement {
    /// A value from a manifest, with its pointer.
    typealias Said<Value> = (value: Value, pointer: String)

    private(set) var ids: [String]
    private(set) var faults: [ManifestFailure.Issue] = []
    /// Whether there is an order, and all its entries have this order already.
    private(set) var isOrderIdle = false
    private let layer: ManifestLayer
    private let order: [Said<String>]
    private let places: [(id: String, place: Said<EntryPlace>)]
    private let placeByID: [String: Said<EntryPlace>]

    /// - Parameters:
    ///   - layer: the manifest that has the order and the places.
    ///   - order: ids in their new order. Together they occupy the same positions as before, and all other ids stay
    ///     where they are.
    ///   - places: the entries that move, in the order of the manifest. Entries with the same place keep this order.
    ///   - elsewhere: describes the list that has an id which this list lacks; nil if no list has the id.
    init(
        _ ids: [String], _ layer: ManifestLayer, order: [Said<String>], places: [(id: String, place: Said<EntryPlace>)],
        elsewhere: (String) -> String?
    ) {
        self.ids = ids
        self.layer = layer
        self.order = order
        self.places = places
        placeByID = Dictionary(places.map { ($0.id, $0.place) }) { first, _ in first }
        guard !order.isEmpty || !places.isEmpty else { return }
        checkIDs(elsewhere)
        guard faults.isEmpty else { return }
        let ordered = sorted()
        let placed = laid(ordered)
        if placed.count == ids.count { reportContradiction(placed) } else { reportCircles() }
        guard faults.isEmpty else { return }
        isOrderIdle = !order.isEmpty && ordered == ids
        self.ids = placed
    }

    private mutating func checkIDs(_ elsewhere: (String) -> String?) {
        let known = Set(ids)
        var seen: [String: String] = [:]
        for said in order {
            if !known.contains(said.value) {
                report(unknown: said.value, at: said.pointer, elsewhere)
            } else if let first = seen.updateValue(said.pointer, forKey: said.value) {
                report(
                    .duplicateID, at: said.pointer,
                    "the id \(Quoted(said.value)) is in the order twice, first at \(first)")
            }
        }
        for (_, place) in places {
            guard let anchor = place.value.anchor, !known.contains(anchor) else { continue }
            report(unknown: anchor, at: place.pointer, elsewhere)
        }
    }

    private func sorted() -> [String] {
        let named = Set(order.map(\.value))
        var next = order.makeIterator()
        return ids.map { named.contains($0) ? next.next()?.value ?? $0 : $0 }
    }

    /// The list with the placed entries. Circular places, and the entries that depend on them, are left out.
    private func laid(_ ids: [String]) -> [String] {
        guard !places.isEmpty else { return ids }
        var first: [String] = []
        var last: [String] = []
        var before: [String: [String]] = [:]
        var after: [String: [String]] = [:]
        for (id, place) in places {
            switch place.value {
            case .first: first.append(id)
            case .last: last.append(id)
            case .before(let anchor): before[anchor, default: []].append(id)
            case .after(let anchor): after[anchor, default: []].append(id)
            }
        }
        // A stack instead of recursion: a chain of places can be as long as the list.
        var todo = (first + ids.filter { placeByID[$0] == nil } + last).reversed().map { (id: $0, isOpen: false) }
        var laid: [String] = []
        while let (id, isOpen) = todo.popLast() {
            guard !isOpen else {
                laid.append(id)
                continue
            }
            todo += (after[id] ?? []).reversed().map { ($0, false) }
            todo.append((id, true))
            todo += (before[id] ?? []).reversed().map { ($0, false) }
        }
        return laid
    }

    /// Follows each place to its anchor, and reports circles.
    private mutating func reportCircles() {
        var done: Set<String> = []
        for (start, _) in places {
            var path: [String] = []
            var id = start
            while done.insert(id).inserted, let anchor = placeByID[id]?.value.anchor {
                path.append(id)
                id = anchor
            }
            guard path.contains(id), let place = placeByID[id] else { continue }
            let next = place.value.anchor ?? id
            let message =
                next == id
                ? "the entry \(Quoted(id)) cannot be placed relative to itself"
                : "the places go in a circle: \(Quoted(id)) depends on \(Quoted(next)), which depends on it by "
                    + "\(placeByID[next]?.pointer ?? "")"
            report(.circularPlaces, at: place.pointer, message)
        }
    }

    /// Reports a place that contradicts `order`. Places are applied after `order`, so a contradiction shows in
    /// `placed`.
    private mutating func reportContradiction(_ placed: [String]) {
        let positions = Dictionary(placed.enumerated().map { ($1, $0) }) { first, _ in first }
        for (left, right) in zip(order, order.dropFirst()) {
            guard let first = positions[left.value], let second = positions[right.value], first > second,
                let place = placeByID[left.value] ?? placeByID[right.value]
            else { continue }
            return report(
                .circularPlaces, at: right.pointer,
                "the order has \(Quoted(left.value)) before \(Quoted(right.value)), and the place at \(place.pointer) has it "
                    + "the other way round")
        }
    }

    private mutating func report(unknown id: String, at pointer: String, _ elsewhere: (String) -> String?) {
        let place = elsewhere(id).map { "; it is \($0)" } ?? ""
        report(
            .unknownEntry, at: pointer, "there is no entry \(Quoted(id)) in this list\(place)",
            suggestion: place.isEmpty ? Spelling.nearest(to: id, in: ids) : nil)
    }

    private mutating func report(
        _ code: ManifestFailure.Issue.Code, at pointer: String, _ message: String, suggestion: String? = nil
    ) {
        faults.append(layer.issue(code, pointer, message, suggestion: suggestion))
    }
}
