import Patchbay
import PatchbayTools

extension CommandOption {
    static let why = CommandOption(
        "--why", help: "each key of the entries and of the policy, with the file and the line that said it last")
    static let html = CommandOption(
        "--html", takes: "FILE",
        help: "write one page that shows the table, and which entry takes a response or writes a body "
            + "(- standard output)")
}

/// `routes`: prints the entries in the order in which the registry considers them.
struct RoutesCommand {
    /// A host with or without a path, already parsed.
    let host: String?
    /// The file for the page of the table; nil prints the table.
    var page: String?
    /// Whether each key is printed with the place that said it last.
    var explainsKeys = false
    /// The logs whose responses are counted for each entry.
    var traffic: [String] = []
    var name = ""
    let registry: SerializerRegistry
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        if let page {
            let html = try RoutesPage(name: name, registry: registry).html()
            if page == "-" {
                try printer.console.print(html)
            } else {
                // Only an earlier page is replaced, so that a manifest named by mistake is kept.
                try OutputFile.writeOrFail(html, to: page, overFilesThatBegin: "<!DOCTYPE html>")
            }
            return .done
        }
        let place = host.flatMap { Endpoint($0) }
        let leftOut = Dictionary(
            registry.provenance(ofLeftOutFor: place?.host, at: place?.url).map { ($0.value.string ?? "", $0.place) }
        ) { first, _ in first }
        let others = registry.everyEntry.filter { leftOut[$0.id] != nil }.once(by: \.id)
        // Without a host, a log has responses of all hosts.
        let isOfAll = !traffic.isEmpty && place == nil
        let routes = isOfAll ? registry.everyEntry : registry.routes(host: place?.host, at: place?.url)
        let listed = (routes + others).map { Listed(route: $0, leftOut: leftOut[$0.id]) }
        guard !explainsKeys else {
            return try why(listed, registry.provenance(ofPolicyFor: place?.host, at: place?.url))
        }
        let limit = registry.policy(for: place?.host, at: place?.url).maximumBodyBytes
        switch printer.format {
        case _ where !traffic.isEmpty: try count(listed, limit)
        case .text: try printer.print(Self.table(listed, limit))
        case .json: try printer.print(document(limit, listed.map { Self.json($0, limit) }))
        }
        return .done
    }

    func document(_ limit: Int, _ routes: [JSON]) -> JSON {
        [
            "host": JSON(orNull: host), "digest": JSON(registry.digest),
            "maxBodyBytes": JSON(limit), "routes": .array(routes),
        ]
    }

    /// An entry of the table of the host, or one that its section leaves out.
    struct Listed {
        let route: RegistryEntry
        /// The place of the `without` that names the entry.
        let leftOut: String?

        var remarks: [String] { leftOut.map { ["left out by \($0)"] } ?? RoutesCommand.remarks(on: route) }
    }

    private static func table(_ listed: [Listed], _ limit: Int) -> TextTable {
        var table = TextTable(
            "ENTRY", "FACTORY", "TYPES", "STATUS", "MAKES", "WRITES", "LIMIT", "ON FAILURE", "FROM",
            droppable: ["FACTORY", "WRITES", "LIMIT", "ON FAILURE", "STATUS"])
        for entry in listed {
            let route = entry.route
            table.add(
                route.id, route.factory, route.types?.joined(separator: ", ") ?? "any",
                route.coverage.status.description,
                route.output ?? "-", route.writes ?? "-", ByteCount.grouped(self.limit(of: route, limit)),
                route.onFailure.rawValue, origin(of: route, entry.remarks))
        }
        return table
    }

    /// The limit in force for a body that the entry reads: its own, or that of the policy if this is lower.
    private static func limit(of route: RegistryEntry, _ limit: Int) -> Int {
        min(route.maximumBodyBytes ?? limit, limit)
    }

    static func origin(of route: RegistryEntry, _ remarks: [String]) -> String {
        let place = route.hostSection.map { "\(route.file), host \($0)" } ?? route.file
        return ([place] + remarks).joined(separator: "; ")
    }

    static func remarks(on route: RegistryEntry) -> [String] {
        var remarks: [String] = []
        switch route.availability {
        case .available: remarks += route.need.map { ["needs \($0.build)"] } ?? []
        case .switchedOff: remarks.append("switched off")
        case .unavailable(let reason): remarks.append(reason)
        }
        if let wanted = route.wanted { remarks.append("only for \(wanted.rawValue)") }
        if route.isReplaced { remarks.append("replaced in code") }
        return remarks
    }

    static func json(_ entry: Listed, _ limit: Int) -> JSON {
        let route = entry.route
        return [
            "entry": JSON(route.id), "factory": JSON(route.factory),
            "types": route.types.map { JSON.list($0) } ?? .null, "status": JSON(route.coverage.status.description),
            "wanted": JSON(orNull: route.wanted?.rawValue), "output": JSON(orNull: route.output),
            "writes": JSON(orNull: route.writes), "onFailure": JSON(route.onFailure.rawValue),
            "maxBodyBytes": JSON(orNull: route.maximumBodyBytes), "limit": JSON(self.limit(of: route, limit)),
            "available": JSON(route.availability == .available && entry.leftOut == nil),
            "remarks": .list(entry.remarks), "host": JSON(orNull: route.hostSection), "file": JSON(route.file),
            "pointer": JSON(route.pointer),
        ]
    }
}
