// Traffic logs, whose format Documentation/Traffic.md describes. `TrafficReader` reads the lines, `ComparedTraffic` counts
// them for the changes between two tables, `EntryTraffic` for the entries of one.

import Patchbay
import PatchbayPlatform

/// Reads traffic logs in pieces. Lines that differ only in times and in sizes on one side of all limits are one kind, about
/// which a table is asked once. When there are many kinds, they are counted and forgotten, so that the memory does not
/// depend on the log.
struct TrafficReader {
    struct Kind {
        let response: LoggedResponse
        /// `traffic.log:7`, the first line.
        let place: String
        fileprivate(set) var lines = 0
        fileprivate(set) var times = Times()
    }

    struct Times {
        private(set) var count = 0
        private var total = 0.0
        private(set) var longest = 0.0

        var mean: Double { total / Double(max(count, 1)) }

        mutating func add(_ other: Times) {
            (count, total, longest) = (count + other.count, total + other.total, max(longest, other.longest))
        }

        fileprivate mutating func add(_ time: Double) { add(Times(count: 1, total: time, longest: time)) }
    }

    /// The reason that a line is not counted.
    enum Fault: String, Error, CaseIterable {
        case unreadable = "this is no line of a traffic log"
        case otherVersion = "the line is of another version"
        case override = "the request itself changed the choice of the entry"
        case unknownType = "neither table makes the wanted type, or it is elements of any type"
    }

    private struct Combination: Hashable {
        var bytes: [UInt8] = []
        // That of an array takes each byte alone.
        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    private static let maximumLine = 64 << 10
    /// Bytes, roughly.
    private static let maximumKinds = 12 << 20
    private static let options = JSON.ParseOptions(allowsFragments: false, maximumDepth: 64)
    /// The numbers of a line, its URL, and the other members that decide what a table answers.
    private static let names: [StaticString] = [
        "patchbay", "bytes", "decoding", "dropped", "url", "method", "status", "type", "wanted", "override", "entry",
        "asked", "outcome", "written",
    ]
    private static let (url, written) = (4, 13)

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
        _ paths: [String], _ count: (Kind) throws(Fault) -> Void
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

    private mutating func take(_ bytes: UnsafeRawBufferPointer) {
        place.line += 1
        guard !bytes.isEmpty else { return }
        guard bytes.count <= Self.maximumLine, let line = try? JSON(document: bytes, options: Self.options) else {
            return note(.unreadable)
        }
        var (version, length, lost): (Int?, Int?, Int?)
        var time: Double?
        combination.bytes.removeAll(keepingCapacity: true)
        line.forEachMember(named: Self.names) { name, value in
            switch name {
            case 0: version = value.int
            case 1: length = value.int
            case 2: time = value.double
            case 3: lost = value.int
            case Self.written:
                value.forEachMember(named: ["type", "entry"]) { combine(Self.names.count + $0, $1) }
            default: combine(name, value)
            }
        }
        guard version == 1 else { return note(version == nil ? .unreadable : .otherVersion) }
        if let lost, 0...1 << 40 ~= lost {
            dropped = min(dropped + lost, 1 << 60)
            return
        }
        guard let length, length >= 0, 0...1e12 ~= time ?? 0 else { return note(.unreadable) }
        for limit in limits { combination.bytes.append(length > limit ? 1 : 0) }
        guard let kind = known[combination] ?? add(line) else { return note(.unreadable) }
        kinds[kind].lines += 1
        if let time { kinds[kind].times.add(time) }
    }

    /// Adds a member to the combination, with its end: no UTF-8 has the byte FF.
    private mutating func combine(_ name: Int, _ value: JSON) {
        combination.bytes.append(UInt8(name))
        let site: Int? = name == Self.url && segments > 0 ? value.utf8.map { self.site(of: seen($0)) } : nil
        if site == nil, let text = value.utf8 {
            combination.bytes.append(UInt8(ascii: "\""))
            combination.bytes.append(contentsOf: name == Self.url ? seen(text) : text)
        } else if let number = site ?? value.int {
            combination.bytes.append(site == nil ? UInt8(ascii: "i") : UInt8(ascii: "s"))
            withUnsafeBytes(of: number) { combination.bytes.append(contentsOf: $0) }
        } else {
            value.serialize(into: &combination.bytes)
        }
        combination.bytes.append(0xFF)
    }
}

extension TrafficReader {
    private mutating func add(_ line: JSON) -> Int? {
        guard let url = line["url"]?.utf8.map({ String(decoding: seen($0), as: UTF8.self) }),
            let response = LoggedResponse(line, at: url)
        else { return nil }
        size += 4 * combination.bytes.count + 1024
        known[combination] = kinds.count
        kinds.append(Kind(response: response, place: "\(place.file):\(place.line)"))
        return kinds.count - 1
    }

    /// A URL up to the last segment of its path that a table looks at. With segments, all of a URL whose rest can have the
    /// segment `.` or `..` counts.
    private func seen(_ url: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let slash = UInt8(ascii: "/")
        var end = -1
        for _ in 0..<(3 + segments) where end < url.count {
            end = UnsafeRawBufferPointer(url).firstIndex(of: slash, from: end + 1)
        }
        let rest = url[min(end, url.count)...]
        let isOdd = segments > 0 && zip(rest, rest.dropFirst()).contains { $0 == slash && ".%".utf8.contains($1) }
        return isOdd ? url : UnsafeBufferPointer(rebasing: url[..<rest.startIndex])
    }

    private mutating func site(of url: UnsafeBufferPointer<UInt8>) -> Int {
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

    private mutating func finish(_ count: (Kind) throws(Fault) -> Void) {
        for kind in kinds {
            do throws(Fault) {
                try count(kind)
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
