/// The order of one list, changed by the `order` and the `place`s of one manifest.
///
/// `order` is applied first, then each `place`. A contradiction is a fault, and leaves the list unchanged.
struct ListArrangement {
    /// A value from a manifest, with its pointer.
    struct Said<Value> {
        let value: Value
        let pointer: String
    }

    typealias Fault = ManifestReader.Fault

    private(set) var ids: [String]
    private(set) var faults: [Fault] = []
    /// Describes the list that has an id which this list lacks; nil if no list has the id.
    private let elsewhere: (String) -> String?

    init(_ ids: [String], elsewhere: @escaping (String) -> String?) {
        self.ids = ids
        self.elsewhere = elsewhere
    }

    /// - Parameters:
    ///   - order: ids in their new order. Together they occupy the same positions as before, and all other ids stay
    ///     where they are.
    ///   - places: the entries that move, in the order of the manifest. Entries with the same place keep this order.
    mutating func apply(
        order: [Said<String>], places: [(id: String, place: Said<EntryPlace>)]
    ) {
        check(order, places)
        guard faults.isEmpty else { return }
        let ordered = sorted(ids, by: order.map(\.value))
        let placed = laid(ordered, places)
        guard placed.count == ids.count else { return reportCircles(places) }
        reportContradiction(placed, order, places)
        if faults.isEmpty { ids = placed }
    }

    private mutating func check(
        _ order: [Said<String>], _ places: [(id: String, place: Said<EntryPlace>)]
    ) {
        let known = Set(ids)
        var seen: [String: String] = [:]
        for said in order {
            if !known.contains(said.value) {
                report(unknown: said.value, at: said.pointer)
            } else if let first = seen.updateValue(said.pointer, forKey: said.value) {
                report(
                    .duplicateID, at: said.pointer,
                    "the id \(Quoted(said.value)) is in the order twice, first at \(first)")
            }
        }
        for (_, place) in places {
            guard let anchor = place.value.anchor, !known.contains(anchor) else { continue }
            report(unknown: anchor, at: place.pointer)
        }
    }

    private func sorted(_ ids: [String], by order: [String]) -> [String] {
        let named = Set(order)
        var next = order.makeIterator()
        return ids.map { named.contains($0) ? next.next() ?? $0 : $0 }
    }

    /// The list with the placed entries. Circular places, and the entries that depend on them, are left out.
    private func laid(_ ids: [String], _ places: [(id: String, place: Said<EntryPlace>)]) -> [String] {
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
        let moving = Set(places.map(\.id))
        // A stack instead of recursion: a chain of places can be as long as the list.
        var todo = (first + ids.filter { !moving.contains($0) } + last).reversed().map { (id: $0, isOpen: false) }
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
    private mutating func reportCircles(_ places: [(id: String, place: Said<EntryPlace>)]) {
        let byID = Dictionary(places.map { ($0.id, $0.place) }) { first, _ in first }
        var done: Set<String> = []
        for (start, _) in places {
            var path: [String] = []
            var id = start
            while done.insert(id).inserted, let anchor = byID[id]?.value.anchor {
                path.append(id)
                id = anchor
            }
            guard path.contains(id), let place = byID[id] else { continue }
            let next = place.value.anchor ?? id
            let message =
                next == id
                ? "the entry \(Quoted(id)) cannot be placed relative to itself"
                : "the places go in a circle: \(Quoted(id)) depends on \(Quoted(next)), which depends on it by "
                    + "\(byID[next]?.pointer ?? "")"
            report(.circularPlaces, at: place.pointer, message)
        }
    }

    /// Reports a place that contradicts `order`. Places are applied after `order`, so a contradiction shows in
    /// `placed`.
    private mutating func reportContradiction(
        _ placed: [String], _ order: [Said<String>], _ places: [(id: String, place: Said<EntryPlace>)]
    ) {
        let positions = Dictionary(placed.enumerated().map { ($1, $0) }) { first, _ in first }
        let byID = Dictionary(places.map { ($0.id, $0.place) }) { first, _ in first }
        for (left, right) in zip(order, order.dropFirst()) {
            guard let first = positions[left.value], let second = positions[right.value], first > second else {
                continue
            }
            guard let place = byID[left.value] ?? byID[right.value] else { continue }
            report(
                .circularPlaces, at: right.pointer,
                "the order has \(Quoted(left.value)) before \(Quoted(right.value)), and the place at \(place.pointer) has it "
                    + "the other way round")
            return
        }
    }

    private mutating func report(unknown id: String, at pointer: String) {
        let place = elsewhere(id).map { "; it is \($0)" } ?? ""
        report(
            .unknownEntry, at: pointer, "there is no entry \(Quoted(id)) in this list\(place)",
            suggestion: place.isEmpty ? Spelling.nearest(to: id, in: ids) : nil)
    }

    private mutating func report(
        _ code: ManifestFailure.Issue.Code, at pointer: String, _ message: String, suggestion: String? = nil
    ) {
        faults.append(Fault(code: code, pointer: pointer, message: message, suggestion: suggestion))
    }
}
