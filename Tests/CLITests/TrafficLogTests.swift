import Foundation
import Patchbay
import TestSupport
import Testing

/// The logs of `diff --traffic` and `routes --traffic`: good ones, and whatever else a file can be.
@Suite(.timeLimit(.minutes(5))) struct TrafficLogTests {
    /// A log, and the lines below those about the entries.
    static let logs: [(name: String, log: [UInt8], says: [String])] = {
        let line = Array(TrafficLine.log([TrafficLine()]).utf8)
        func log(_ texts: String...) -> [UInt8] { Array(texts.joined(separator: "\n").utf8) }
        func none(_ count: Int, _ place: Int) -> String {
            "not counted: \(count) line, the first at log:\(place): this is no line of a traffic log"
        }
        let text = String(decoding: line.dropLast(), as: UTF8.self)
        func with(_ old: String, _ new: String) -> [UInt8] { line + Array(text.replacing(old, with: new).utf8) }
        let bad: [(String, [UInt8])] = [
            ("a last line that is cut", line + line.prefix(40)), ("NUL", line + [0, 10]),
            ("no UTF-8", line + line.map { $0 == 0x75 ? 0xFF : $0 }), ("no object", line + log("[1]\n")),
            ("a number", line + log("1e999\n")), ("no version", with(#""patchbay":1,"#, "")),
            ("a version as text", with(#""patchbay":1,"#, #""patchbay":"1","#)),
            ("deep nesting", line + [UInt8](repeating: UInt8(ascii: "["), count: 60_000)),
            ("a line of 65,537 bytes", with("/users", "/" + String(repeating: "u", count: 65_543 - line.count))),
            ("a line of 1 MiB", with("/users", "/" + String(repeating: "u", count: 1 << 20))),
            ("a status beyond all", with("200", "99999999999999999999")), ("a status that is none", with("200", "99")),
            ("fewer bytes than none", with(#""bytes":10"#, #""bytes":-1"#)),
            ("bytes beyond all", with(#""bytes":10"#, #""bytes":1e300"#)),
            ("no bytes", with(#""bytes":10"#, #""b":1"#)),
            ("no URL", with(#""url""#, #""uri""#)), ("a URL that is none", with("https://api", "https://[api")),
            ("no method", with(#""GET""#, "null")),
            ("an outcome that is none", with(#""outcome":"entry""#, #""outcome":"e""#)),
            ("types that are none", with(#""application/json""#, "[1]")),
            ("a time below none", with(#""exchange":12.5"#, #""decoding":-1"#)),
            ("a time beyond all", with(#""exchange":12.5"#, #""decoding":1e300"#)),
            ("an unknown escape", with("/users", #"/\q"#)),
            ("an escape that is none in the time", with("2026", #"\x"#)),
            ("a line feed in the path", with("/users", "/\t")),
            ("a number of bytes with a zero in front", with(#""bytes":10"#, #""bytes":010"#)),
            ("bytes in hexadecimal", with(#""bytes":10"#, #""bytes":0x10"#)),
            ("a point without a digit behind", with("12.5", "12.")), ("without one before", with("12.5", ".5")),
            ("two points", with("12.5", "1.2.5")), ("no number", with("12.5", "")),
            ("a time of 13 digits", with("12.5", #"12.5,"decoding":1000000000001"#)),
            ("two brackets at the end", with("12.5}", "12.5}}")),
        ]
        let rows = bad.map { (name: $0.0, log: $0.1, says: ["1 response in the log", none(1, 2)]) }
        return rows + [
            ("nothing", [], ["0 responses in the log"]),
            ("no end of the last line", Array(line.dropLast()), ["1 response in the log"]),
            ("CR LF, blanks and empty lines", log(text + "\r", "", " " + text), ["2 responses in the log"]),
            ("a mark of UTF-8", [0xEF, 0xBB, 0xBF] + line, ["1 response in the log"]),
            (
                "another version", line + log(#"{"patchbay":2}"#, #"{"patchbay":2}"#, ""),
                ["1 response in the log", "not counted: 2 lines, the first at log:2: the line is of another version"]
            ),
            (
                "responses that the log dropped",
                line + log(#"{"patchbay":1,"time":"t","dropped":1200}"#, #"{"patchbay":1,"dropped":1}"#),
                ["1 response in the log", "1,201 responses that the log could not take"]
            ),
            (
                "a dropped number beyond all", line + log(#"{"patchbay":1,"dropped":9223372036854775807}"#),
                ["1 response in the log", none(1, 2)]
            ),
            (
                "a type that no table makes",
                with("any value", "XMLNode") + [10] + with("any value", "elements of XMLNode"),
                [
                    "2 responses in the log",
                    "not counted: 2 lines, the first at log:2: neither table makes the wanted type, or it is elements of any type",
                ]
            ),
            (
                "keys that are not known", with(#""bytes":10"#, #""bytes":10,"later":{"a":[1]}"#),
                ["2 responses in the log"]
            ),
            (
                "a line of 65,536 bytes", with("/users", "/" + String(repeating: "u", count: 65_542 - line.count)),
                ["2 responses in the log"]
            ),
            ("several types", with(#""application/json""#, #"["text/html","text/plain"]"#), ["2 responses in the log"]),
            ("a type of any bytes", with("application/json", #"\u0000\r\n\u001b[31m"#), ["2 responses in the log"]),
        ]
    }()

    @Test(arguments: logs.indices) func `a line that is none is counted with its place`(_ index: Int) async throws {
        let row = Self.logs[index]
        let folder = TemporaryFolder()
        try folder.write(DiffTrafficTests.base, to: "old.json")
        try Data(row.log).write(to: URL(filePath: folder.path + "/log"))
        let run = try await Binary.run(["diff", "old.json", "old.json", "--traffic", "log"], in: folder.path)
        #expect(run.code == 0, "\(row.name)")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(Array(lines.dropFirst(2)) == row.says, "\(row.name)")
    }

    @Test(arguments: ["diff old.json old.json", "routes --manifest old.json"])
    func `a log that cannot be read ends with 7`(_ command: String) async throws {
        let folder = TemporaryFolder()
        try folder.write(DiffTrafficTests.base, to: "old.json")
        for (name, bytes) in [
            ("log.gz", [0x1F, 0x8B, 8]), ("log", [0x1F, 0x8B, 8]), ("log.zst", [0x28, 0xB5, 0x2F, 0xFD]),
            ("log.xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A]), ("log.bz2", [0x42, 0x5A, 0x68]), ("plain.gz", [0x7B]),
        ] as [(String, [UInt8])] {
            try Data(bytes).write(to: URL(filePath: folder.path + "/" + name))
            let program =
                name.hasSuffix("zst")
                ? "zstdcat" : name.hasSuffix("xz") ? "xzcat" : name.hasSuffix("bz2") ? "bzcat" : "zcat"
            let run = try await Binary.run(
                command.split(separator: " ").map(String.init) + ["--traffic", name], in: folder.path)
            #expect(run.code == 7 && run.output == "")
            #expect(
                run.errors
                    == "patchbay: \(name) is compressed; '\(program) \(name) | patchbay … --traffic -' reads it\n")
        }
        for (name, reason) in [(".", "Is a directory"), ("none", "No such file or directory")] {
            let run = try await Binary.run(
                command.split(separator: " ").map(String.init) + ["--traffic", name], in: folder.path)
            #expect(run.code == 7 && run.errors == "patchbay: \(name) cannot be read: \(reason)\n")
        }
    }

    @Test func `a URL that is a number is none, also in a table with paths`() async throws {
        let folder = TemporaryFolder()
        let table = DiffTrafficTests.base.replacing(#""legacy.example.com""#, with: #""api.example.com/users""#)
        try folder.write(table, to: "old.json")
        let texts = ["api.example.com/users/{id}", "api.example.com", "api.example.com/users/7"].map {
            TrafficLine(host: $0, path: "").json.serialized()
        }
        let numbers = (0..<3).map { texts[0].replacing(#""https://api.example.com/users/{id}""#, with: "\($0)") }
        try folder.write((texts + numbers).joined(separator: "\n"), to: "log")
        let run = try await Binary.run(["diff", "old.json", "old.json", "--traffic", "log"], in: folder.path)
        #expect(
            run.output.hasSuffix(
                "3 responses in the log\nnot counted: 3 lines, the first at log:4: this is no line of a traffic log\n"))
    }

    @Test func `the calls for a type that a declared factory read are not counted, and its entry is used`() async throws
    {
        let folder = TemporaryFolder()
        func table(_ more: String) -> String {
            #"{ "manifestVersion": 1, "inherit": false, "plugins": [\#(more) { "id": "text", "factory": "text", "match": { "types": ["text/*"] } }] }"#
        }
        try folder.write(
            table(#"{ "id": "frames", "factory": "frames", "match": { "types": ["a/frames"] } },"#), to: "old.json")
        try folder.write(table(""), to: "new.json")
        let lines = ["Decodable", "array of Decodable", "any value", "any value"].enumerated().map {
            TrafficLine(type: "a/frames", wanted: $1, entry: $0 == 3 ? nil : "frames")
        }
        try folder.write(TrafficLine.log(lines), to: "log")
        let run = try await Binary.run(
            ["diff", "old.json", "new.json", "--factory", "frames", "--traffic", "log"], in: folder.path)
        #expect(run.output.contains("\n  2 of 2 responses: a/frames of api.example.com, 200, any value: entry frames"))
        #expect(run.output.contains("\nnothing used: text (old.json); text (new.json)\n"))
        #expect(
            run.output.hasSuffix(
                "not counted: 2 lines, the first at log:1: its entry has a factory that is only declared, whose types the program alone knows\n"
            ))
        let explained = try await Binary.run(
            [
                "explain", "--content-type", "a/frames", "--as", "User", "--factory", "frames", "--manifest",
                "old.json",
            ], in: folder.path)
        #expect(
            explained.output.contains(
                "frames: declined: its factory is only declared: whether it makes User is known to its program alone"))
    }

    @Test func `several logs are one, and one of them is standard input`() async throws {
        let folder = TemporaryFolder()
        try folder.write(DiffTrafficTests.base, to: "old.json")
        try folder.write(
            DiffTrafficTests.base.replacing(DiffTrafficTests.edits[0].old, with: DiffTrafficTests.edits[0].new),
            to: "new.json")
        // The first log lacks its last line end.
        try folder.write(String(TrafficLine.log([TrafficLine(type: "text/html")]).dropLast()), to: "log")
        let more = Array(TrafficLine.log([TrafficLine(type: "text/html"), TrafficLine()]).utf8) + Array("x\n".utf8)
        let run = try await Binary.run(
            ["diff", "old.json", "new.json", "--traffic", "log", "--traffic", "-"], input: more, in: folder.path)
        #expect(run.code == 1)
        #expect(run.output.contains("\n  2 of 3 responses: text/html of api.example.com, 200, any value: entry text"))
        #expect(run.output.hasSuffix("not counted: 1 line, the first at <stdin>:3: this is no line of a traffic log\n"))
        for words in [
            ["diff", "-", "new.json"], ["diff", "old.json", "new.json", "--traffic", "-"],
            ["routes", "--traffic", "-"],
        ] {
            let twice = try await Binary.run(words + ["--traffic", "-"], in: folder.path)
            #expect(twice.code == 2)
            #expect(twice.errors.hasPrefix("patchbay: - is given twice; standard input can be read once\n"))
        }
    }

    @Test func `a log of endless types and hosts is counted exactly`() async throws {
        let folder = TemporaryFolder()
        try folder.write(DiffTrafficTests.base, to: "old.json")
        try folder.write(
            DiffTrafficTests.base.replacing(DiffTrafficTests.edits[0].old, with: DiffTrafficTests.edits[0].new),
            to: "new.json")
        let count = TestLength.count(1_000, of: 8_000, "lines of a log that are all different")
        let filling = String(repeating: "x", count: 1000)
        let lines = (0..<count).map { number in
            TrafficLine(
                host: "h\(number).example",
                type: number.isMultiple(of: 3) ? "text/html;a=\(filling)\(number)" : "a/\(number)",
                wanted: number.isMultiple(of: 5) ? "any value" : "bytes", entry: "e\(number)")
        }
        try folder.write(TrafficLine.log(lines), to: "log")
        let document = try await DiffTrafficTests.document(folder)
        let sum = document["changes"]?.array?.reduce(0) { $0 + ($1["responses"]?.int ?? 0) }
        #expect(sum == lines.count { $0.type?.hasPrefix("text/html") == true && $0.wanted == "any value" })
    }

    #if os(Linux)
        @Test func `a log takes less than 64 MiB, whatever is in it`() async throws {
            let folder = TemporaryFolder()
            try folder.write(DiffTrafficTests.base, to: "old.json")
            let (process, input) = (Process(), Pipe())
            process.executableURL = URL(filePath: try Binary.path)
            process.arguments = ["diff", "old.json", "old.json", "--traffic", "-"]
            process.currentDirectoryURL = URL(filePath: folder.path)
            process.standardInput = input
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            let filling = String(repeating: "x", count: 2000)
            for number in 0..<TestLength.count(4_000, of: 10_000, "lines of a log that are all different") {
                let line = TrafficLine(
                    host: "h\(number).example", type: "a/b;c=\(filling)\(number)", entry: "e\(number)")
                try input.fileHandleForWriting.write(contentsOf: Data(TrafficLine.log([line]).utf8))
            }
            let endless = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
            for _ in 0..<64 { try input.fileHandleForWriting.write(contentsOf: endless) }
            let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }.flatMap {
                Int($0.filter(\.isNumber))
            }
            let code = await withCheckedContinuation { continuation in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                try? input.fileHandleForWriting.close()
            }
            #expect(code == 0)
            #expect(try #require(peak) < 64 << 10)
        }
    #endif
}
