// The cases of `patchbay test`: their reading, their run against a registry, their coverage of its entries, and their
// generation.

import Patchbay

/// Reads a file of cases, `{ "cases": [ … ] }`, and collects all its faults.
struct CaseFile {
    private static let maximumBytes = 16 << 20
    private var faults: [(pointer: String, what: String)] = []

    /// The cases of a file, each with its line; `-` is standard input. Adds a line for every fault of the file to
    /// `lines`.
    /// - Throws: `CommandFailure` for a file that cannot be read.
    static func read(_ path: String, _ lines: inout [String]) throws(CommandFailure) -> [PlacedCase] {
        let bytes = try InputFile.read(path, limit: maximumBytes)
        guard bytes.count <= maximumBytes else {
            throw CommandFailure(.file, "\(path) has more than the \(maximumBytes) bytes that are read")
        }
        let json: JSON
        do throws(JSON.ParseFailure) {
            json = try JSON(
                document: bytes, options: .init(refusesDuplicateKeys: true, allowsFragments: false, maximumDepth: 8))
        } catch {
            let fault = error.named(in: bytes, insteadOfComments: ManifestText.notes)
            lines.append("\(path):\(fault.line): column \(fault.column): \(fault.message)")
            return []
        }
        var file = CaseFile()
        let cases = file.cases(json)
        let faults = file.faults
        let places = JSON.lines(of: faults.prefix(ManifestLayer.maximumLines).map(\.pointer), in: bytes)
        for (number, fault) in faults.enumerated() {
            let line = number < places.count ? places[number] : nil
            lines.append("\(ManifestFailure.Issue.place(path, line)): \(fault.pointer): \(fault.what)")
        }
        guard faults.isEmpty else { return [] }
        return zip(cases, JSON.lines(ofElementsAt: "/cases", in: bytes)).map {
            PlacedCase(file: path, line: $1, testCase: $0)
        }
    }

    private init() {}

    private mutating func report(_ pointer: String, _ what: String) { faults.append((pointer, what)) }

    private mutating func cases(_ json: JSON) -> [FileCase] {
        check(json, at: "", keys: ["cases"])
        guard let list = json["cases"]?.array else {
            report("/cases", "expected a list of cases")
            return []
        }
        if list.isEmpty { report("/cases", "there are no cases") }
        var names: Set<String> = []
        return list.enumerated().compactMap { index, json in
            guard let read = fileCase(json, at: "/cases/\(index)") else { return nil }
            if !names.insert(read.name).inserted { report("/cases/\(index)/name", "another case has this name") }
            return read
        }
    }

    private mutating func fileCase(_ json: JSON, at pointer: String) -> FileCase? {
        guard json.kind == .object else {
            report(pointer, "expected a case, an object")
            return nil
        }
        if let write = json["write"] { return writingCase(json, write, at: pointer).map(FileCase.request) }
        return testCase(json, at: pointer).map(FileCase.response)
    }

    private mutating func writingCase(_ json: JSON, _ write: JSON, at pointer: String) -> WritingCase? {
        let before = faults.count
        check(json, at: pointer, keys: WritingCase.keys, needed: ["name", "entry"])
        let name = string("name", of: json, at: pointer)
        let contentType = string("contentType", of: json, at: pointer, orNull: true)
        if let contentType, MediaType(parsing: contentType) == nil {
            report("\(pointer)/contentType", "expected a media type")
        }
        let entry = string("entry", of: json, at: pointer, orNull: true)
        let host = host(of: json, at: pointer)
        let elements = json["elements"]
        if let elements, elements.bool == nil { report("\(pointer)/elements", "expected true or false") }
        let inElements = elements?.bool ?? false
        if inElements, write.array == nil {
            report("\(pointer)/write", "expected an array, whose elements are written")
        }
        let bytes = json["bytes"]
        if let bytes, WrittenBody.bytes(bytes) == nil {
            report("\(pointer)/bytes", "expected a string, or an object with the key \"base64\"")
        }
        guard faults.count == before, let name else { return nil }
        return WritingCase(
            name: name, host: host, write: write, inElements: inElements, contentType: contentType, entry: entry,
            bytes: bytes)
    }

    private mutating func testCase(_ json: JSON, at pointer: String) -> TableCase? {
        let before = faults.count
        check(
            json, at: pointer, keys: TableCase.keys, needed: ["name", "status", "contentType", "entry", "outcome"])
        let name = string("name", of: json, at: pointer)
        let contentType = string("contentType", of: json, at: pointer, orNull: true)
        let entry = string("entry", of: json, at: pointer, orNull: true)
        let makes = string("makes", of: json, at: pointer)
        let method = string("method", of: json, at: pointer) ?? "GET"
        let host = host(of: json, at: pointer)
        let status = number("status", of: json, at: pointer, in: 100...999)
        let limit = number("limit", of: json, at: pointer, in: 0...Int.max)
        var outcome: Decision.Outcome?
        if let word = string("outcome", of: json, at: pointer) {
            outcome = Decision.Outcome(rawValue: word)
            if outcome == nil {
                let words = Decision.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
                report("\(pointer)/outcome", "expected one of \(words)")
            }
        }
        guard faults.count == before, let name, let status, let outcome else { return nil }
        return TableCase(
            name: name, host: host, method: method, status: status, contentType: contentType, makes: makes,
            entry: entry, outcome: outcome, limit: limit)
    }

    private mutating func check(_ json: JSON, at pointer: String, keys: [String], needed: [String] = []) {
        for (key, _) in json.object ?? [] where !keys.contains(key) && !key.hasPrefix("x-") {
            let hint = Spelling.nearest(to: key, in: keys).map { "; did you mean \"\($0)\"?" } ?? ""
            report("\(pointer)/\(JSONPointer.escaped(key))", "this key is not known here\(hint)")
        }
        for key in needed where json[key] == nil { report(pointer, "a case needs the key \"\(key)\"") }
    }

    private mutating func host(of json: JSON, at pointer: String) -> String? {
        let host = string("host", of: json, at: pointer)
        if let host, Endpoint(host) == nil {
            let hint = Endpoint.nearest(to: host).map { "; did you mean \"\($0)\"?" } ?? ""
            report("\(pointer)/host", "expected a host, with or without a port and a path\(hint)")
        }
        return host
    }

    private mutating func string(_ key: String, of json: JSON, at pointer: String, orNull: Bool = false) -> String? {
        guard let value = json[key], !(orNull && value.isNull) else { return nil }
        if value.string == nil {
            report("\(pointer)/\(key)", orNull ? "expected a string or null" : "expected a string")
        }
        return value.string
    }

    private mutating func number(_ key: String, of json: JSON, at pointer: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = json[key] else { return nil }
        guard let number = value.int, range.contains(number) else {
            let bounds =
                range.upperBound == .max ? "\(range.lowerBound) on" : "\(range.lowerBound) to \(range.upperBound)"
            report("\(pointer)/\(key)", "expected a whole number from \(bounds)")
            return nil
        }
        return number
    }
}

/// One case of a test of a table: a response, the expected entry, and the expected result.
struct TableCase: Equatable, Sendable {
    var name: String
    var host: String?
    var method = "GET"
    var status: Int
    var contentType: String?
    /// The type of the call, by a name that `routes` prints under MAKES, or `Decodable`, `bytes`, `text`; nil for any
    /// value.
    var makes: String?
    /// The entry that serializes the response; nil for none.
    var entry: String?
    /// The expected outcome, as the word that `explain` prints.
    var outcome: Decision.Outcome
    /// The largest body, in bytes; nil for any size.
    var limit: Int?

    static let keys = ["name", "host", "method", "status", "contentType", "makes", "entry", "outcome", "limit"]

    var json: JSON {
        .object(ifAny: [
            ("name", JSON(name)), ("host", host.map { JSON($0) }),
            ("method", method == "GET" ? JSON?.none : JSON(method)),
            ("status", JSON(status)), ("contentType", JSON(orNull: contentType)), ("makes", makes.map { JSON($0) }),
            ("entry", JSON(orNull: entry)), ("outcome", JSON(outcome.rawValue)), ("limit", limit.map { JSON($0) }),
        ])
    }
}
