import PatchbayMigration
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// XML declarations (XML 1.0, sections 2.8, 2.9 and 4.3.3): a broken one is an error, whatever encoding it names.
@Suite struct XMLDeclarationTests {
    static let encodings = ["UTF-8", "utf-8", "ASCII", "ISO-8859-1", "windows-1252", "shift_jis"]

    /// What stands between `<?xml` and `?>`; `E` is the name of an encoding.
    static let broken = [
        " encoding='E' version='1.0'", " encoding='E'", " version='1.0' encoding='E'standalone='yes'",
        " version='1.0'encoding='E'", " version='1.0' encoding='E\n'", " version='1.0' encoding=' E'",
        " version='1.0' encoding=\"E'", " version='1.0' encoding=E", " version='1.0' encoding 'E'",
        " version='1.0' encoding='E' encoding='E'", " version='1.0' encoding='E' standalone='maybe'",
        " version='1.0' encoding='E' standalone='YES'", " version='1.0' standalone='yes' encoding='E'",
        " version='1.0' encoding='E' other='x'", " version='1.0' encoding='E' x", " version='1.0' encoding='E' ?",
        " version='2.0' encoding='E'", " version='1.' encoding='E'", " version='' encoding='E'",
        " version='1.0 ' encoding='E'", " Version='1.0' encoding='E'", " version='1.0' Encoding='E'",
        " version='1.0' encoding='E' standalone=''",
    ]

    private static func sentences(_ body: ResponseBody, _ contentType: String?) -> [String?] {
        let head = Sample.head(contentType)
        return [
            Sample.sentence { _ = try XMLDocumentSerializer().serialize(body, head) },
            Sample.sentence { _ = try XMLParserSerializer().serialize(body, head) },
        ]
    }

    @Test(arguments: broken)
    func refused(_ inside: String) {
        for encoding in Self.encodings {
            let xml = "<?xml\(inside.replacing("E", with: encoding))?><a/>"
            for contentType in [nil, "text/xml; charset=utf-8", "text/xml; charset=iso-8859-1"] {
                for sentence in Self.sentences(Sample.body(xml), contentType) {
                    #expect(
                        sentence?.hasSuffix("the XML declaration is broken") == true, "\(xml), \(contentType ?? "")")
                }
            }
            for sentence in Self.sentences(ResponseBody(Sample.utf16(xml)), nil) {
                #expect(sentence?.hasSuffix("the XML declaration is broken") == true, "\(xml), in UTF-16")
            }
        }
    }

    @Test(arguments: [
        " version='1.0' encoding='E'", "\n\tversion = \"1.0\"\r\nencoding =\"E\" ",
        " version='1.0' encoding='E' standalone='no'",
        " version='1.1' encoding='E'\tstandalone = \"yes\"\n",
    ])
    func taken(_ inside: String) {
        for encoding in Self.encodings {
            let xml = "<?xml\(inside.replacing("E", with: encoding))?><a/>"
            #expect(Self.sentences(Sample.body(xml), nil) == [nil, nil], "\(xml)")
            #expect(Self.sentences(ResponseBody(Sample.utf16(xml)), nil) == [nil, nil], "\(xml), in UTF-16")
        }
    }

    @Test("It says where")
    func place() {
        #expect(
            Self.sentences(Sample.body("<?xml encoding='ASCII' version='1.0'?><a/>"), nil)[0]
                == "the XML was refused at line 1, column 6: the XML declaration is broken")
        #expect(
            Self.sentences(Sample.body("<?xml\nversion='1.0' encoding='E'standalone='yes'?><a/>"), nil)[0]
                == "the XML was refused at line 2, column 27: the XML declaration is broken")
    }
}
