import PatchbayJSON
import PatchbayPlugins
import PatchbayRegistry

/// A factory that is built in, whether or not it is in this build.
package struct FactoryDescription: Sendable {
    package let name: String
    package let options: ManifestObject

    package init(_ name: String, _ options: ManifestObject) {
        self.name = name
        self.options = options
    }
}

extension FactoryDescription {
    /// The factories of the standard table, those that are not in this build and those of other modules among them.
    package static let standard = [
        FactoryDescription("text", .textOptions),
        FactoryDescription("json", .jsonOptions),
        FactoryDescription("problem-json", .problemOptions),
        FactoryDescription("property-list", .noOptions),
        FactoryDescription("xml-parser", .xmlOptions),
        FactoryDescription("xml-document", .xmlDocumentOptions),
        FactoryDescription("form", .formOptions),
        FactoryDescription("xssi", .xssiOptions),
        FactoryDescription("server-sent-events", .serverSentEventOptions),
        FactoryDescription("ndjson", .ndjsonOptions),
        FactoryDescription("json-seq", .jsonSequenceOptions),
        FactoryDescription("csv-rows", .csvRowsOptions),
        FactoryDescription("multipart-parts", .multipartPartsOptions),
        FactoryDescription("image", .imageOptions),
    ]
}

// The options of each factory.

extension ManifestObject {
    static let csvRowsOptions = ManifestObject(
        "csvRowsOptions",
        [
            ManifestKey("delimiter", .character, default: ",", "What stands between two fields."),
            ManifestKey(
                "quote", .character, default: "\"",
                "What stands around a field that has a delimiter or a line end in it; inside it is doubled."),
            ManifestKey(
                "header", .bool, default: true,
                "Whether the first row has the names of the columns, where the `header` parameter of the type does not say."
            ),
            ManifestKey(
                "charset", .text(minimum: 1), default: "utf-8",
                "The charset where the response names none, by a label of the WHATWG Encoding Standard."),
            ManifestKey(
                "columns", .list(.text(), atLeast: 1, isSet: true),
                "The columns of a table in a request, in order; without it, the columns of its rows."),
        ])

    static let formOptions = ManifestObject(
        "formOptions",
        [
            ManifestKey(
                "maxFields", .integer(1...1_000_000), default: 10_000, "How many fields a form in a response may have."),
            ManifestKey(
                "arrays", .words(FormOptions.arrays.map(\.key)), default: "noBrackets",
                "The name of an element of the array `a`: `a[]`, `a` or `a[0]`."),
            ManifestKey(
                "bools", .words(FormOptions.bools.map(\.key)), default: "literal",
                "The text of true and false: `1` and `0`, or `true` and `false`."),
            ManifestKey(
                "dates", .words(FormOptions.dates.map(\.key)), default: "iso8601",
                "How a `Date` is written: in seconds since 2001 (`deferred`) or 1970, in milliseconds since 1970, or as `2026-01-31T23:59:59Z`."
            ),
            ManifestKey(
                "data", .words(FormOptions.data.map(\.key)), default: "base64",
                "How a `Data` is written: as an array of numbers (`deferred`), or in Base64."),
            ManifestKey(
                "keys", .words(FormOptions.keys.map(\.key)), default: "asIs",
                "How `someName` in code is spelt: as it is, `some_name`, `some-name`, `SomeName`, `SOMENAME` or `somename`."
            ),
            ManifestKey(
                "members", .words(FormOptions.members.map(\.key)), default: "brackets",
                "The name of the member `b` of the object `a`: `a[b]` or `a.b`."),
            ManifestKey(
                "nulls", .words(FormOptions.nulls.map(\.key)), default: "dropped",
                "The field of a null, and of an optional that is nil: `name`, `name=`, `name=null`, or none."),
            ManifestKey(
                "spaces", .words(FormOptions.spaces.map(\.key)), default: "plus",
                "The escape of a space: `%20` or `+`."),
            ManifestKey(
                "order", .words(FormOptions.order.map(\.key)), default: "given",
                "The order of the fields: as the value encodes them; sorted by member name in every object, or in the outermost only; or sorted by the text of the finished field."
            ),
        ])

    /// The keys of `ImageOptions`, in builds that have none too.
    static let imageOptions = ManifestObject(
        "imageOptions",
        [
            ManifestKey(
                "inflate", .bool, default: true,
                "Whether the pixels are decoded at once, and not only when they are asked for."),
            ManifestKey("scale", .number(above: 0, through: 16), default: 1, "How many pixels make one point."),
            ManifestKey(
                "frames", .words(["first", "all"]), default: "first", "Which frames of an animation are decoded."),
        ])

    static let jsonOptions = ManifestObject(
        "jsonOptions",
        problemOptions.keys + [
            ManifestKey(
                "pretty", .bool, default: false,
                "Whether a request has each element and member on a line of its own, two spaces a level."),
            ManifestKey(
                "sortedKeys", .bool, default: false,
                "Whether the members of an object in a request are sorted by the bytes of their keys."),
        ])

    static let problemOptions = ManifestObject(
        "problemOptions",
        jsonValueKeys + [
            ManifestKey(
                "singleSpaceIsEmpty", .bool, default: true,
                "Whether a body of one space, which Rails sends for no content, is null.")
        ])

    static let jsonValueKeys =
        [
            ManifestKey(
                "keys", .words(JSON.CodingOptions.Keys.allCases.map(\.rawValue)), default: "asIs",
                "How the names in code are spelt in the body: as they are, or `someName` as `some_name`. As with Foundation, `user_id` is then `userId`, and neither `userID` nor a coding key `\"user_id\"`."
            ),
            ManifestKey(
                "dates", .words(JSON.CodingOptions.Dates.allCases.map(\.rawValue)), default: "deferred",
                "How a `Date` stands in the body: in seconds since 2001 (`deferred`) or 1970, in milliseconds since 1970, or as `2026-01-31T23:59:59Z`."
            ),
            ManifestKey(
                "data", .words(JSON.DataStrategy.allCases.map(\.rawValue)), default: "base64",
                "How a `Data` stands in the body: in Base64, or as an array of numbers (`deferred`)."),
            ManifestKey(
                "nonConformingFloats", .words(["error"], or: .object(nonConformingFloats)), default: "error",
                "What stands for the numbers that JSON does not have: nothing, or three strings."),
            ManifestKey(
                "fragments", .bool, default: true,
                "Whether a document may be a single value in place of an object or array."),
            ManifestKey(
                "duplicateKeys", .words(JSONValueOptions.DuplicateKeys.allCases.map(\.rawValue)), default: "last",
                "What a key that stands twice in an object means: its last value, or an error."),
            ManifestKey(
                "removeNulls", .words(JSONValueOptions.RemoveNulls.allCases.map(\.rawValue)), default: "none",
                "Which nulls are taken out before anyone sees the value: those of objects, or those of arrays too."),
        ]

    private static let nonConformingFloats = ManifestObject(
        "nonConformingFloats",
        [
            ManifestKey("positiveInfinity", .text(), "The string that is infinity.", need: .everyObject),
            ManifestKey("negativeInfinity", .text(), "The string that is minus infinity.", need: .everyObject),
            ManifestKey("nan", .text(), "The string that is not a number.", need: .everyObject),
        ])

    static let jsonSequenceOptions = ManifestObject(
        "jsonSequenceOptions",
        [
            ManifestKey(
                "badTexts", .words(BadElements.allCases.map(\.rawValue)), default: "error",
                "What a text means that is no JSON, cut off or not of the type: an error with its number, or it is passed over and counted."
            ),
            ManifestKey(
                "maxTextBytes", .integer(1...Int.max), default: 16_777_216, "How many bytes a text may take."),
        ] + jsonValueKeys)

    static let multipartPartsOptions = ManifestObject(
        "multipartPartsOptions",
        [ManifestKey("maxParts", .integer(1...1_000_000), default: 1000, "How many parts a body may have.")])

    static let ndjsonOptions = ManifestObject(
        "ndjsonOptions",
        [
            ManifestKey(
                "badLines", .words(BadElements.allCases.map(\.rawValue)), default: "error",
                "What a line means that is no JSON or not of the type: an error with its number, or it is passed over and counted."
            ),
            ManifestKey(
                "maxLineBytes", .integer(1...Int.max), default: 16_777_216, "How many bytes a line may take."),
        ] + jsonValueKeys)

    static let serverSentEventOptions = ManifestObject(
        "serverSentEventOptions",
        [
            ManifestKey(
                "events", .list(.text(minimum: 1), atLeast: 1),
                "The types of the events that count, `message` for those without one; without it, every type."),
            ManifestKey(
                "until", .text(minimum: 1),
                "The data of the event that ends the elements, as `[DONE]`, and is none of them; what follows is not read."
            ),
            ManifestKey(
                "maxLineBytes", .integer(1...Int.max), default: 8_388_608, "How many bytes a line may take."),
            ManifestKey(
                "maxEventBytes", .integer(1...Int.max), default: 8_388_608,
                "How many bytes the data of an event may take."),
        ] + jsonValueKeys)

    static let noOptions = ManifestObject("noOptions", [])

    static let textOptions = ManifestObject(
        "textOptions",
        [
            ManifestKey(
                "charset", .text(minimum: 1), default: "utf-8",
                "The charset where the response names none, by a label of the WHATWG Encoding Standard."),
            ManifestKey(
                "charsetOverride", .text(minimum: 1),
                "The charset whatever the response names, by such a label too; a byte order mark counts more."),
            ManifestKey(
                "lossy", .bool, default: false,
                "Whether U+FFFD stands for what cannot be decoded, in place of an error."),
        ])

    static let xmlDocumentOptions = ManifestObject(
        "xmlDocumentOptions",
        xmlOptions.keys + [
            ManifestKey(
                "decodes", .bool, default: false,
                "Whether the entry makes any `Decodable` type from the document, beside the tree.")
        ])

    static let xmlOptions = ManifestObject(
        "xmlOptions",
        [
            ManifestKey(
                "doctype", .words(XMLLimits.Doctype.allCases.map(\.rawValue)), default: "ignore",
                "What becomes of a document type declaration: it is passed over, or refused, or the entities that it declares as text are put in place. With `allow`, an element with an attribute that it gives a default value, or a type other than CDATA, is refused."
            ),
            ManifestKey(
                "maxDepth", .integer(1...10_000), default: 256,
                "How deep elements may lie in each other; the root is at depth 1."),
            ManifestKey(
                "maxAttributes", .integer(1...10_000), default: 1_000,
                "How many attributes an element may have, namespace declarations included."),
            ManifestKey(
                "maxCharacters", .integer(1...Int.max),
                "How many bytes of UTF-8 the text may come to once entities are in place, and no more than the largest body; without it ten times the body, at least 1 MiB and at most 64 MiB."
            ),
            ManifestKey(
                "maxNodes", .integer(1...50_000_000), default: 5_000_000,
                "How many nodes and attributes a tree may have; `xml-parser` makes none."),
        ])

    static let xssiOptions = ManifestObject(
        "xssiOptions",
        [
            ManifestKey(
                "prefix", .text(minimum: 1), default: ")]}',\n", "What is taken away where the body begins with it.")
        ])
}
