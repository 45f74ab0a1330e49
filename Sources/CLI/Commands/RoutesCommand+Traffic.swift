import Patchbay
import PatchbayPlatform
import PatchbayTools

extension CommandOption {
    static let traffic = CommandOption(
        "--traffic", takes: "FILE", in: .table,
        help: "count the responses of this traffic log; repeatable (- standard input)")
}

extension RoutesCommand {
    /// Prints how often each entry read a logged response, and in which time; and the same for each host, the slowest first.
    func count(_ listed: [Listed], _ limit: Int) throws(CommandFailure) {
        var counts = EntryTraffic(of: host.flatMap { Endpoint($0)?.host })
        var reader = TrafficReader([registry])
        try reader.read(traffic) { counts.count($0, $1) }
        let ids = Set(listed.map(\.route.id))
        let others = counts.entries.keys.filter { !ids.contains($0) }.sorted()
        func figures(_ id: String) -> EntryTraffic.Figures { counts.entries[id] ?? EntryTraffic.Figures() }
        func cells(_ id: String) -> [String] { [id] + figures(id).cells + [ByteCount.grouped(figures(id).wrote)] }
        func members(_ id: String) -> [(String, JSON)] {
            figures(id).members("made") + [("wrote", JSON(figures(id).wrote))]
        }
        switch printer.format {
        case .text:
            var table = TextTable(
                "ENTRY", "MADE", "FAILED", "MEAN", "LONGEST", "WROTE", "TYPES", "FROM", droppable: ["TYPES"])
            for entry in listed {
                let (route, types) = (entry.route, entry.route.types?.joined(separator: ", ") ?? "any")
                table.add(cells(route.id) + [types, Self.origin(of: route, entry.remarks)])
            }
            for id in others { table.add(cells(id) + ["-", "only in the log"]) }
            var hosts = TextTable("HOST", "RESPONSES", "FAILED", "MEAN", "LONGEST")
            for (name, figures) in counts.slowest.prefix(Self.mostHosts) { hosts.add([name] + figures.cells) }
            let more = counts.slowest.count - Self.mostHosts
            let lines = (more > 0 ? ["and \(ByteCount.grouped(more)) faster hosts"] : []) + reader.lines
            try printer.print(table)
            try printer.console.print("\n")
            try printer.print(hosts)
            try printer.console.print("\n" + lines.joined(separator: "\n"))
        case .json:
            let routes = listed.map { Self.json($0, limit).adding([("traffic", .object(members($0.route.id)))]) }
            let hosts = counts.slowest.map { JSON.object([("host", JSON($0))] + $1.members("responses")) }
            let lists = [
                ("hosts", hosts), ("others", others.map { JSON.object([("entry", JSON($0))] + members($0)) }),
            ]
            let traffic = reader.members + lists.map { ($0, JSON.array($1)) }
            try printer.print(document(limit, routes).adding([("traffic", .object(traffic))]))
        }
    }

    private static let mostHosts = 20
}
