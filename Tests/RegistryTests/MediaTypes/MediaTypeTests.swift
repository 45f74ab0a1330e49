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
        var type = try #require(MediaType(parsing: "Text/CSV"))
        type[parameter: "Header"] = "present"
        #expect(type.description == "text/csv;header=present")
        #expect(MediaType(parsing: "text/csv;header=present") == type)
        #expect(MediaType(parsing: "Text/CSV;Header=present;HEADER=absent") == type)
        var quoted = try #require(MediaType(parsing: "a/b"))
        quoted[parameter: "x"] = "1 \"2\""
        #expect(quoted.description == #"a/b;x="1 \"2\"""#)
    }

    @Test(arguments: [
        ("", "1"), ("x y", "1"), ("x", "1\r\nSet-Cookie: y"), ("x", "€"),
    ])
    func refusingParameters(_ name: String, _ value: String) throws {
        var type = try #require(MediaType(parsing: "a/b"))
        type[parameter: name] = value
        #expect(type.parameters.isEmpty)
    }

    @Test(arguments: ["/b", "a/", "a/c/b", "ä/b"])
    func refusingEssences(_ essence: String) { #expect(MediaType(parsing: essence) == nil) }

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
