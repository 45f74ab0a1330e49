import Testing

@testable import PatchbayCurl

@Suite("The end of a chunked body, as it is on the wire")
struct ChunkedEndTests {
    private static let whole: [(name: String, text: String)] = [
        ("one chunk", "2\r\nok\r\n0\r\n\r\n"),
        ("no chunk", "0\r\n\r\n"),
        ("a size with zeros", "0002\r\nok\r\n000\r\n\r\n"),
        ("an extension", "A;x=\"1\"\r\n0123456789\r\n0;y\r\n\r\n"),
        ("lines that end with LF", "2\nok\n0\n\n"),
        ("trailers", "2\r\nok\r\n0\r\nX-Sum: 6\r\nX-More: a\r\n\r\n"),
        ("a chunk that looks like an end", "8\r\n\r\n0\r\n\r\n0\r\n0\r\n\r\n"),
    ]

    private static let cut: [(name: String, text: String)] = [
        ("nothing", ""),
        ("in a size", "2"),
        ("in a chunk", "5\r\nab"),
        ("behind a chunk", "2\r\nok\r\n"),
        ("behind the last size", "2\r\nok\r\n0\r\n"),
        ("in a trailer", "2\r\nok\r\n0\r\nX-Sum: 6"),
        ("behind a trailer", "2\r\nok\r\n0\r\nX-Sum: 6\r\n"),
        ("a size that no chunk has", "ffffffffffffffffffff\r\n0\r\n\r\n"),
    ]

    @Test("It is found at the last byte, however the bytes are cut", arguments: [1, 2, 3, 5, 100])
    func found(_ size: Int) {
        for (name, text) in Self.whole {
            let bytes = Array(text.utf8)
            var end = ChunkedEnd()
            for start in stride(from: 0, to: bytes.count, by: size) {
                #expect(!end.isReached, "\(name)")
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { end.read($0) }
            }
            #expect(end.isReached, "\(name)")
        }
    }

    @Test("It is not found in a body that was cut off")
    func missing() {
        for (name, text) in Self.cut {
            var end = ChunkedEnd()
            Array(text.utf8).withUnsafeBytes { end.read($0) }
            #expect(!end.isReached, "\(name)")
        }
    }
}
