// Traffic logs, whose format Documentation/Traffic.md describes. `TrafficReader` reads the lines, `ComparedTraffic` counts
// them for the changes between two tables, `EntryTraffic` for the entries of one.

import Patchbay
import PatchbayPlatform

/// Reads traffic logs in pieces. Lines that differ only in times and in sizes on one side of all limits are one kind. Only
/// its first line is parsed, and a table is asked once about it. When there are many kinds, they are counted and forgotten,
/// so that the memory does not depend on the log.
struct TrafficReader {
    struct Kind {
        /// The first line, and where it stands: `traffic.log:7`.
        fileprivate let line: [UInt8]
        fileprivate let place: String
        fileprivate(set) var lines = 1
        fileprivate(set) var times: Times
    }

    struct Times {
        private(set) var count = 0
        private var total = 0.0
        private(set) var longest = 0.0

        init(_ time: Double? = nil) {
            if let time { (count, total, longest) = (1, time, time) }
        }

        var mean: Double { total / Double(max(count, 1)) }

        mutating func add(_ other: Times) {
            (count, total, longest) = (count + other.count, total + other.total, max(longest, other.longest))
        }

    }

    /// The reason that a line is not counted.
    enum Fault: String, Error, CaseIterable {
        case unreadable = "this is no line of a traffic log"
        case otherVersion = "the line is of another version"
        case override = "the request itself changed the choice of the entry"
        case declared = "its entry has a factory that is only declared, whose types the program alone knows"
        case unknownType = "neither table makes the wanted type, or it is elements of any type"
    }

    private struct Combination: Hashable {
        var bytes: [UInt8] = []
        // Those of an array take each byte alone.
        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
        static func == (left: Self, right: Self) -> Bool {
            left.bytes.count == right.bytes.count && memcmp(left.bytes, right.bytes, left.bytes.count) == 0
        }
    }

    private static let maximumLine = 64 << 10
    /// Bytes, roughly.
    private static let maximumKinds = 24 << 20
    private static let options = JSON.ParseOptions(allowsFragments: false, maximumDepth: 64)

    /// How many lines were counted.
    private(set) var responses = 0
    private var dropped = 0
    private var faults: [Fault: (lines: Int, first: String)] = [:]
    private let tables: [SerializerRegistry]
    private let limits: [Int]
    /// The most segments of a path that a table looks at.
    private let segments: Int
    private var place = (file: "", line: 0)
    /// The start of a line that the end of a piece cut.
    private var kept: [UInt8] = []
    private var kinds: [Kind] = []
    /// The positions of kinds.
    private var known: [Combination: Int] = [:]
    private var combination = Combination()
    /// The numbers of URLs, which are equal for one host and one section of each table. Only for tables with paths.
    private var sites: [Combination: Int] = [:]
    private var numbers: [[String]: Int] = [:]
    private var size = 0

    init(_ tables: [SerializerRegistry], limits: [Int] = []) {
        self.tables = tables
        self.limits = [0] + limits
        segments = tables.flatMap(\.compiled.sections.all).compactMap { $0.pattern?.path.count }.max() ?? 0
    }

    /// Reads files; `-` is standard input.
    mutating func read(
        _ paths: [String], _ count: (LoggedResponse, Kind) throws(Fault) -> Void
    ) throws(CommandFailure) {
        for path in paths {
            place = (path == "-" ? "<stdin>" : path, 0)
            try InputFile.read(path) { piece throws(CommandFailure) in
                if place.line == 0, kept.isEmpty { try Self.checkPlain(piece, path) }
                piece.withUnsafeBytes { split($0) }
                if size > Self.maximumKinds { finish(count) }
                return true
            }
            if !kept.isEmpty { takeKept() }
        }
        finish(count)
    }

    private static func checkPlain(_ piece: ArraySlice<UInt8>, _ path: String) throws(CommandFailure) {
        let programs: [[UInt8]: String] = [
            [0x1F, 0x8B]: "zcat", [0x28, 0xB5]: "zstdcat", [0xFD, 0x37]: "xzcat", [0x42, 0x5A]: "bzcat",
        ]
        guard let program = programs[Array(piece.prefix(2))] ?? (path.hasSuffix(".gz") ? "zcat" : nil) else { return }
        throw CommandFailure(.file, "\(path) is compressed; '\(program) \(path) | patchbay … --traffic -' reads it")
    }

    private mutating func split(_ piece: UnsafeRawBufferPointer) {
        var start = 0
        while start < piece.count {
            let end = piece.firstIndex(of: UInt8(ascii: "\n"), from: start)
            let part = UnsafeRawBufferPointer(rebasing: piece[start..<end])
            start = end + 1
            if kept.isEmpty, end < piece.count {
                take(part)
            } else {
                // Of a line that is too long, one byte more than the limit is kept.
                kept += part.prefix(Self.maximumLine + 1 - kept.count)
                if end < piece.count { takeKept() }
            }
        }
    }

    private mutating func takeKept() {
        let line = kept
        kept = []
        line.withUnsafeBytes { take($0) }
    }

    private mutating func take(_ line: UnsafeRawBufferPointer) {
        place.line += 1
        guard !line.isEmpty else { return }
        guard line.count <= Self.maximumLine else { return note(.unreadable) }
        let scanned = scan(line)
        if let scanned, let kind = known[combination] {
            kinds[kind].lines += 1
            return kinds[kind].times.add(scanned)
        }
        guard let json = try? JSON(document: line, options: Self.options) else { return note(.unreadable) }
        guard json["patchbay"]?.int == 1 else {
            return note(json["patchbay"]?.int == nil ? .unreadable : .otherVersion)
        }
        if let lost = json["dropped"]?.int, 0...1 << 40 ~= lost {
            dropped = min(dropped + lost, 1 << 60)
            return
        }
        let time = json["decoding"]?.double
        guard 0...1e12 ~= time ?? 0, response(of: json) != nil else { return note(.unreadable) }
        size += 2 * combination.bytes.count + line.count + 256
        if scanned != nil { known[combination] = kinds.count }
        kinds.append(Kind(line: Array(line), place: "\(place.file):\(place.line)", times: Times(time)))
    }

    /// Makes the combination of a line as a log writes it: all of it but its time, the rest of its URL and its numbers. Nil
    /// for another line; else the time of the decoding, if there was one.
    private mutating func scan(_ line: UnsafeRawBufferPointer) -> Times? {
        var rest = LineScanner(line)
        func since(_ start: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: line[start..<rest.offset])
        }
        combination.bytes.removeAll(keepingCapacity: true)
        guard rest.skip(#"{"patchbay":1,"time":""#), rest.string() != nil else { return nil }
        var start = rest.offset
        guard rest.find(#","url":"#), rest.skip("\"") else { return nil }
        combination.bytes += since(start)
        guard let url = rest.string() else { return nil }
        combine(url)
        start = rest.offset
        guard rest.find(#","bytes":"#) else { return nil }
        combination.bytes += since(start)
        guard let length = rest.number() else { return nil }
        for limit in limits { combination.bytes.append(length > Double(limit) ? 1 : 0) }
        if rest.skip(#","written":{"#) {
            start = rest.offset
            guard rest.find(#""bytes":"#) else { return nil }
            combination.bytes += since(start)
            guard rest.number() != nil, rest.skip("}") else { return nil }
        }
        guard rest.skip(#","exchange":"#), rest.number() != nil else { return nil }
        var time: Double?
        if rest.skip(#","decoding":"#) {
            time = rest.number()
            guard time != nil else { return nil }
        }
        if rest.skip(#","retries":"#), rest.number() == nil { return nil }
        combination.bytes += line[rest.offset...]
        return Times(time)
    }

    /// Adds the part of a URL that tables look at to the combination, with its end: no UTF-8 has the byte FF.
    private mutating func combine(_ url: UnsafeRawBufferPointer) {
        if segments == 0 {
            combination.bytes += seen(url)
        } else {
            withUnsafeBytes(of: site(of: seen(url))) { combination.bytes += $0 }
        }
        combination.bytes.append(0xFF)
    }
}

extension TrafficReader {
    private func response(of line: JSON) -> LoggedResponse? {
        guard let url = line["url"]?.utf8.map(UnsafeRawBufferPointer.init) else { return nil }
        return LoggedResponse(line, at: String(decoding: seen(url), as: UTF8.self))
    }

    /// A URL up to the last segment of its path that a table looks at. With segments, all of a URL whose rest can have the
    /// segment `.` or `..` counts.
    private func seen(_ url: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let slash = UInt8(ascii: "/")
        var end = -1
        for _ in 0..<(3 + segments) where end < url.count {
            end = url.firstIndex(of: slash, from: end + 1)
        }
        let rest = url[min(end, url.count)...]
        let isOdd = segments > 0 && zip(rest, rest.dropFirst()).contains { $0 == slash && ".%".utf8.contains($1) }
        return isOdd ? url : UnsafeRawBufferPointer(rebasing: url[..<rest.startIndex])
    }

    private mutating func site(of url: UnsafeRawBufferPointer) -> Int {
        let text = Combination(bytes: Array(url))
        if let known = sites[text] { return known }
        let url = URL(string: String(decoding: url, as: UTF8.self))
        let host = url.flatMap { CanonicalHost(url: $0) }
        let names = [host?.description ?? ""] + tables.map { $0.section(for: host, at: url).name ?? "" }
        let number = numbers[names] ?? numbers.count
        numbers[names] = number
        sites[text] = number
        size += 2 * text.bytes.count + 512
        return number
    }

    private mutating func finish(_ count: (LoggedResponse, Kind) throws(Fault) -> Void) {
        for kind in kinds {
            do throws(Fault) {
                guard let line = try? JSON(document: kind.line, options: Self.options),
                    let response = response(of: line)
                else { throw .unreadable }
                try count(response, kind)
                responses += kind.lines
            } catch {
                faults[error, default: (0, kind.place)].lines += kind.lines
            }
        }
        (kinds, known, size) = ([], [:], 0)
        (sites, numbers) = ([:], [:])
    }

    private mutating func note(_ fault: Fault) {
        faults[fault, default: (0, "\(place.file):\(place.line)")].lines += 1
    }

    /// `90,112 responses in the log`, and the lines that are not counted.
    var lines: [String] {
        func counted(_ count: Int, _ name: String) -> String {
            "\(ByteCount.grouped(count)) \(name.plural(count))"
        }
        return [counted(responses, "response") + " in the log"]
            + (dropped == 0 ? [] : [counted(dropped, "response") + " that the log could not take"])
            + Fault.allCases.compactMap { fault in
                faults[fault].map {
                    "not counted: \(counted($0.lines, "line")), the first at \($0.first): \(fault.rawValue)"
                }
            }
    }

    /// The same as members of a document.
    var members: [(String, JSON)] {
        let faults = Fault.allCases.compactMap { fault in
            self.faults[fault].map { found -> JSON in
                ["reason": JSON("\(fault)"), "lines": JSON(found.lines), "first": JSON(found.first)]
            }
        }
        return [("responses", JSON(responses)), ("dropped", JSON(dropped)), ("notCounted", .array(faults))]
    }
}
