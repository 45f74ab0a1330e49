import Foundation
import PatchbayJSON
import Testing

@Suite struct PointerTests {
    /// The document of RFC 6901 §5.
    static let document =
        #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#

    static let found: [(String, JSON)] = [
        ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/foo/1", "baz"), ("/", 0), ("/a~1b", 1), ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
    ]

    @Test(arguments: found) func finds(_ pointer: String, _ expected: JSON) throws {
        #expect(try JSON(parsing: Self.document).pointer(pointer) == expected)
    }

    @Test func `a mark behind a slash is a part of the next token`() throws {
        let json = try JSON(parsing: #"{"\u0301":1,"a":{"\u0301b":2},"a/\u0301b":3}"#)
        #expect(json.pointer("/\u{301}") == 1)
        #expect(json.pointer("/a/\u{301}b") == 2)
        #expect(json.pointer("/a~1\u{301}b") == 3)
    }

    @Test func theEmptyPointerIsTheWhole() throws {
        let json = try JSON(parsing: Self.document)
        #expect(json.pointer("") == json)
        #expect(json["foo"]?.pointer("/1") == "baz")
    }

    @Test(arguments: [
        "foo", "/foo/2", "/foo/-", "/foo/01", "/foo/-1", "/foo/+1", "/foo/", "/foo/99999999999999999999", "/foo/0/x",
        "/x",
        "/m~n", "/m~2n", "/m~", "//", " /foo",
    ])
    func findsNothing(_ pointer: String) throws {
        #expect(try JSON(parsing: Self.document).pointer(pointer) == nil)
    }

    @Test func `each element of an array has its line, and another value has none`() {
        let text = Array("{ \"a\": [1,\n\r\n[2,\r3], \"\\n\"\n, {}] }".utf8)
        #expect(JSON.lines(ofElementsAt: "/a", in: text) == [1, 3, 4, 5])
        for pointer in ["", "/b", "/a/0", "a"] { #expect(JSON.lines(ofElementsAt: pointer, in: text).isEmpty) }
        #expect(JSON.lines(ofElementsAt: "", in: Array("[1,]".utf8)).isEmpty)
        #expect(JSON.lines(of: ["/a/1/1", "/x", ""], in: text) == [4, nil, 1])
        #expect(JSON.lines(of: ["", "/a"], in: Array("{".utf8)) == [nil, nil])
    }

    static let source = """
        {
          "plugins": [
            { "id": "é", "match": {"types": ["a", "b"]} },
            -1.5e3, true,\t"x,:]}\\"" , {"a/b": null}
          ],
          "n": 1, "n": 2
        }
        """

    @Test(arguments: [
        ("", 1, 1), ("/plugins", 2, 14), ("/plugins/0", 3, 5), ("/plugins/0/id", 3, 13), ("/plugins/0/match", 3, 27),
        ("/plugins/0/match/types/1", 3, 43), ("/plugins/1", 4, 5), ("/plugins/2", 4, 13), ("/plugins/3", 4, 19),
        ("/plugins/4", 4, 31), ("/plugins/4/a~1b", 4, 39), ("/n", 6, 16),
    ])
    func positions(_ pointer: String, _ line: Int, _ column: Int) throws {
        for prefix in ["", "\u{feff}"] {
            let place = try #require(JSON.position(of: pointer, in: Data((prefix + Self.source).utf8)))
            #expect(place.line == line)
            #expect(place.column == column)
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func lines(_ end: String) {
        let pointers = ["/n", "/x", "", "/plugins/4/a~1b", "/plugins/0", "/plugins/0/match/types/1", "/n"]
        for prefix in ["", "\u{feff}"] {
            let text = prefix + Self.source.split(separator: "\n").joined(separator: end)
            #expect(JSON.lines(of: pointers, in: Array(text.utf8)) == [6, nil, 1, 4, 3, 3, 6])
        }
        #expect(JSON.lines(of: ["", "/a"], in: Array("[1,]".utf8)) == [nil, nil])
    }

    @Test(arguments: ["/x", "plugins", "/plugins/9", "/plugins/0/id/x"]) func noPosition(_ pointer: String) {
        #expect(JSON.position(of: pointer, in: Data(Self.source.utf8)) == nil)
    }

    @Test func theValueAfterAnOffset() throws {
        let bytes = Array(Self.source.utf8)
        let tail = try #require(bytes.lastIndex(of: UInt8(ascii: "n")))
        let found = [0, 6, 17, 21, 27, tail].map { JSON.pointer(ofValueAfter: $0, in: bytes) }
        #expect(found == [nil, "/plugins", "/plugins/0", nil, "/plugins/0/id", "/n"])
        #expect(JSON.pointer(ofValueAfter: bytes.count, in: bytes) == nil)
        let escaped = Array(#"{"a/b":{"m~n":[0,1]}}"#.utf8)
        #expect(JSON.pointer(ofValueAfter: 15, in: escaped) == "/a~1b/m~0n/1")
    }

    @Test func noPositionInBrokenText() {
        #expect(JSON.position(of: "", in: Array("[1,]".utf8)) == nil)
    }
}
