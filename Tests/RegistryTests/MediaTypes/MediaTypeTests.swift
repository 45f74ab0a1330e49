import PatchbayRegistry
import Testing

@Suite struct MediaTypeTests {
    @Test func parts() throws {
        let type = try #require(MediaType(parsing: "Application/Vnd.Acme.Thing+JSON; Charset=\"UTF-8\"; version=2"))
        #expect(type.essence == "application/vnd.acme.thing+json")
        #expect(type.type == "application")
        #expect(type.subtype == "vnd.acme.thing+json")
        #expect(type.suffix == "json")
        #expect(type.parameters.map(\.name) == ["charset", "version"])
        #expect(type.parameters.map(\.value) == ["UTF-8", "2"])
    }

    @Test(
        arguments: [
            ("a/b+json", "json"), ("a/b+c+xml", "xml"), ("a/+json", "json"), ("a/b", nil), ("a/b+", nil),
            ("a+json/b", nil),
            ("a+x/b+y", "y"), ("+/+", nil), ("image/svg+XML", "xml"),
        ] as [(String, String?)])
    func suffix(_ input: String, _ expected: String?) throws {
        let type = try #require(MediaType(parsing: input))
        #expect(type.suffix == expected)
    }

    @Test func parameterByName() throws {
        let type = try #require(MediaType(parsing: "a/b;Charset=x;empty=\"\""))
        #expect(type[parameter: "charset"] == "x")
        #expect(type[parameter: "CHARSET"] == "x")
        #expect(type[parameter: "empty"] == "")
        #expect(type[parameter: "other"] == nil)
    }

    @Test(arguments: [
        ("spelling of names", "A/B;C=d", "a/b;c=d", true),
        ("quotes", "a/b;c=\"d\"", "a/b;c=d", true),
        ("dropped parameters", "a/b;;c=d;c=e;f", "a/b;c=d", true),
        ("case of a value", "a/b;c=d", "a/b;c=D", false),
        ("order of parameters", "a/b;c=d;e=f", "a/b;e=f;c=d", false),
        ("one parameter more", "a/b;c=d", "a/b", false),
        ("another subtype", "a/b", "a/c", false),
    ])
    func equality(_ name: String, _ left: String, _ right: String, _ expected: Bool) throws {
        let left = try #require(MediaType(parsing: left))
        let right = try #require(MediaType(parsing: right))
        #expect((left == right) == expected, "\(name)")
        #expect((Set([left, right]).count == 1) == expected, "\(name)")
    }

    @Test func puttingTogether() throws {
        let type = try #require(
            MediaType(type: "Text", subtype: "CSV", parameters: ["Header": "present", "HEADER": "absent"]))
        #expect(type.description == "text/csv;header=present")
        #expect(MediaType(parsing: "text/csv;header=present") == type)
        #expect(MediaType(type: "a", subtype: "b", parameters: ["x": "1 \"2\""])?.description == #"a/b;x="1 \"2\"""#)
    }

    @Test(arguments: [
        ("", "b", "x", "1"), ("a", "", "x", "1"), ("a/c", "b", "x", "1"), ("a", "b;c=d", "x", "1"), ("a", "b", "", "1"),
        ("a", "b", "x y", "1"), ("a", "b", "x", "1\r\nSet-Cookie: y"), ("a", "b", "x", "€"), ("ä", "b", "x", "1"),
    ])
    func refusingParts(_ type: String, _ subtype: String, _ name: String, _ value: String) {
        #expect(MediaType(type: type, subtype: subtype, parameters: [name: value]) == nil)
    }

    @Test func anotherEssence() throws {
        let pjpeg = try #require(MediaType(parsing: "image/pjpeg;q=1"))
        let jpeg = try #require(MediaType(parsing: "image/jpeg"))
        #expect(pjpeg.withEssence(of: jpeg) == MediaType(parsing: "image/jpeg;q=1"))
        #expect(pjpeg.withEssence(of: jpeg).subtype == "jpeg")
    }

    @Test("a parameter is set in its place, or last, and taken away")
    func settingParameters() throws {
        var type = try #require(MediaType(parsing: "text/csv; charset=utf-8; header=present"))
        type[parameter: "Charset"] = "utf-16"
        type[parameter: "Title"] = "a \"b\""
        #expect(type.description == #"text/csv;charset=utf-16;header=present;title="a \"b\"""#)
        #expect(MediaType(parsing: type.description) == type)
        type[parameter: "HEADER"] = nil
        type[parameter: "other"] = nil
        #expect(type.description == #"text/csv;charset=utf-16;title="a \"b\"""#)
    }

    @Test("a name or a value that a header field cannot have is none", arguments: ["a\r\nX-Evil: 1", "a\u{0}"])
    func unwritableParameters(_ text: String) {
        var type: MediaType = "text/csv;charset=utf-8"
        type[parameter: text] = "a"
        #expect(type == "text/csv;charset=utf-8")
        type[parameter: "charset"] = text
        #expect(type == "text/csv")
    }
}
