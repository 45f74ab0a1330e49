import Foundation
import PatchbayPlatform
import Testing

/// The words of the system for its errors, and whose errors get them.
@Suite(.timeLimit(.minutes(5))) struct SystemErrorTests {
    @Test(
        "a number has the system's text, and an unknown one is named",
        arguments: [
            (ENOENT, "No such file or directory"), (EACCES, "Permission denied"), (ENOSPC, "No space left on device"),
            (12_345, "12345"), (-1, "-1"), (Int32.max, "2147483647"), (Int32.min, "-2147483648"),
        ])
    func words(_ code: Int32, _ text: String) {
        #expect(SystemError.words(code).hasSuffix(text))
    }

    @Test("threads that ask at the same time get their own texts")
    func together() async {
        let codes = Array(1_000..<1_016) + [Int(ENOENT), Int(EACCES)]
        let foreign = await withTaskGroup(of: String?.self) { group in
            for code in codes.compactMap(Int32.init(exactly:)) {
                let text = SystemError.words(code)
                group.addTask { (0..<2_000).lazy.map { _ in SystemError.words(code) }.first { $0 != text } }
            }
            return await group.reduce(into: []) { found, text in found += text.map { [$0] } ?? [] }
        }
        #expect(foreign == [])
    }

    private class Subclass: NSError, @unchecked Sendable {}
    private final class Deeper: Subclass, @unchecked Sendable {}

    private final class Posing: CustomNSError {
        static var errorDomain: String { NSPOSIXErrorDomain }
        var errorCode: Int { 2 }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: any Error
        let words: String?

        init(_ name: String, _ error: any Error, _ words: String?) {
            testDescription = name
            self.error = error
            self.words = words
        }
    }

    static let rows = [
        Row("NSError", NSError(domain: NSPOSIXErrorDomain, code: 2), "No such file or directory"),
        Row("a subclass", Subclass(domain: NSPOSIXErrorDomain, code: 2), "No such file or directory"),
        Row("a subclass of a subclass", Deeper(domain: NSPOSIXErrorDomain, code: 2), "No such file or directory"),
        Row(
            "a subclass, a number beyond those of the system", Subclass(domain: NSPOSIXErrorDomain, code: .max),
            "error \(Int.max)"),
        Row("a subclass of another domain", Subclass(domain: "elsewhere", code: 2), nil),
        Row("NSError of another domain", NSError(domain: "elsewhere", code: 2), nil),
        Row("a class that is none, of a domain of the system", Posing(), nil),
        Row("POSIXError", POSIXError(.ENOENT), "No such file or directory"),
    ]

    @Test("an error of the system, or of a class below NSError, has the text of its number", arguments: rows)
    func error(_ row: Row) {
        #expect(SystemError.words(for: row.error) == row.words)
    }
}
