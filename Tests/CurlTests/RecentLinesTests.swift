import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayCurl

@Suite("Lines of the latest head")
struct RecentLinesTests {
    /// Lines as servers send them, with some that are odd or malformed.
    private static let pool =
        [
            "Content-Type: application/json", "content-type: application/json", "Content-Type:application/json ",
            "Content-Length: 12", "Content-Length: 13", "Content-Length: 12, 12", "Content-Encoding: gzip",
            "Transfer-Encoding: chunked", "Date: Fri, 27 Nov 2026 23:38:15 GMT", "Date: Fri, 27 Nov 2026 23:38:16 GMT",
            "Server: nginx", "X-Empty:", "X-Empty: ", "X-Name: J\u{F6}rg", "Set-Cookie: a=1", "Set-Cookie: a=2",
            "X-Long: " + String(repeating: "a", count: 300), "X-Long: " + String(repeating: "b", count: 300),
            " folded", "\tfolded", "no colon", ": no name", "X-Bad: a\rb", "X-Bad: a\0b",
        ].map { Array($0.utf8) } + [Array("X-Name: J".utf8) + [0xF6]]

    private static func result(
        _ lines: [[UInt8]], _ recent: RecentLines?
    ) -> Result<ResponseHeadReader.Head?, TransportFailure> {
        var reader = ResponseHeadReader(method: "GET")
        var head: ResponseHeadReader.Head?
        for line in lines {
            let line = line + [0x0D, 0x0A]
            do {
                head = try line.withUnsafeBytes { try reader.read($0, recent) }
            } catch let failure as TransportFailure {
                return .failure(failure)
            } catch {
                return .failure(TransportFailure(.other, "\(error)"))
            }
        }
        return .success(head)
    }

    @Test("Every head is read as without the head before it")
    func sameHeads() throws {
        var random = SplitMix(seed: 29)
        let recent = RecentLines()
        var lines: [[UInt8]] = []
        var heads = 0
        for _ in 0..<3_000 {
            // Most heads differ from the one before them in one line.
            if lines.count > 6 || lines.isEmpty {
                lines = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
                    Self.pool.randomElement(using: &random)
                }
            } else if let line = Self.pool.randomElement(using: &random) {
                lines[Int.random(in: 0..<lines.count, using: &random)] = line
                if Bool.random(using: &random) { lines.append(line) }
            }
            let head = [Array("HTTP/1.1 200 OK".utf8)] + lines + [[]]
            switch (Self.result(head, recent), Self.result(head, nil)) {
            case (.success(let one?), .success(let other?)):
                heads += 1
                #expect(one.fields == other.fields && one.known == other.known && one.status == other.status)
            case (.failure(let one), .failure(let other)): #expect(one == other)
            case (let one, let other): Issue.record("\(one) and \(other)")
            }
        }
        #expect(heads > 300)
    }

    @Test("A line is found in its place, byte for byte, unless it can be a cookie or is long")
    func kept() {
        let recent = RecentLines()
        let field = RecentLines.Field(name: "X-A", value: "1", known: [])
        func found(_ text: String, at place: Int) -> Bool {
            Array(text.utf8).withUnsafeBufferPointer { recent.field(at: place, of: $0) != nil }
        }
        func keep(_ text: String, at place: Int, _ name: String = "X-A") {
            let field = RecentLines.Field(name: name, value: field.value, known: [])
            Array(text.utf8).withUnsafeBufferPointer { recent.keep($0, at: place, field) }
        }
        #expect(!found("X-A: 1", at: 0))
        keep("X-A: 1", at: 0)
        #expect(
            found("X-A: 1", at: 0) && !found("X-A: 1", at: 1) && !found("X-A: 2", at: 0) && !found("X-A: 1 ", at: 0))
        keep("X-A: 2", at: 0)
        #expect(found("X-A: 2", at: 0) && !found("X-A: 1", at: 0))
        keep("set-cookie: a=1", at: 1, "set-cookie")
        #expect(!found("set-cookie: a=1", at: 1))
        keep("X-A: 3", at: 2)
        #expect(found("X-A: 3", at: 2))
        keep(String(repeating: "a", count: 257), at: 1)
        #expect(!found(String(repeating: "a", count: 257), at: 1))
        for place in 1..<40 { keep("X-A: 1", at: place) }
        #expect(found("X-A: 1", at: 31) && !found("X-A: 1", at: 32))
    }
}
