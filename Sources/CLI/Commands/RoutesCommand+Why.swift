import Patchbay
import PatchbayTools

extension RoutesCommand {
    /// Prints each key of the entries, in the order of the table, and of the policy, with the place that said it last.
    func why(_ listed: [Listed], _ policy: [SaidKey]) throws(CommandFailure) -> ExitCode {
        let entries = zip(listed, registry.provenance(ofEntries: listed.map(\.route.id)))
        switch printer.format {
        case .text:
            var table = TextTable("ENTRY", "KEY", "VALUE", "FROM")
            for (entry, keys) in entries {
                let remarks = entry.remarks.map { "; \($0)" }.joined()
                for (number, said) in keys.enumerated() {
                    let place = number == 0 ? said.place + remarks : said.place
                    table.add(entry.route.id, said.key, said.shownValue, place)
                }
            }
            for said in policy { table.add("-", said.key, said.shownValue, said.place) }
            try printer.print(table)
        case .json:
            try printer.print([
                "host": JSON(orNull: host), "digest": JSON(registry.digest),
                "entries": .array(
                    entries.map { entry, keys in
                        [
                            "entry": JSON(entry.route.id), "remarks": .list(entry.remarks),
                            "keys": .array(keys.map(\.json)),
                        ]
                    }),
                "policy": .array(policy.map(\.json)),
            ])
        }
        return .done
    }
}

extension SerializerRegistry {
    /// The place of each entry: of a key that decides what the entry covers, or else of its first key.
    var places: [String: String] {
        let ids = everyEntry.map(\.id)
        let places = zip(ids, provenance(ofEntries: ids)).map { id, keys in
            (id, (keys.first { $0.key.hasPrefix("match.") && !$0.isRemoved } ?? keys.first)?.place ?? "")
        }
        return Dictionary(places) { first, _ in first }
    }
}

extension SaidKey {
    fileprivate var shownValue: String { isRemoved ? "removed" : value.description }

    /// `  options.keys: Plugins.json:12`, below the reasons of `explain`.
    var explained: String { "  \(key): \(isRemoved ? "removed by " : "")\(place)" }

    var json: JSON {
        [
            "key": JSON(key), "value": value, "file": JSON(file), "line": JSON(orNull: line),
            "pointer": JSON(pointer),
        ]
    }
}
