import PatchbayJSON
import PatchbayPlugins
import PatchbayRegistry

/// A built-in factory, whether or not it is in this build.
package struct FactoryDescription: Sendable {
    package let name: String
    package let options: ManifestObject

    /// - Parameter options: the name of the options in the schema.
    private init(_ name: String, _ options: String, _ keys: [ManifestKey]) {
        self.name = name
        self.options = ManifestObject(name: options, keys: keys)
    }

    /// The factories of the standard table, including those of other modules and those that are not in this build.
    package static let standard = [
        FactoryDescription("text", "textOptions", text),
        FactoryDescription("json", "jsonOptions", json),
        FactoryDescription("problem-json", "problemOptions", problem),
        FactoryDescription("property-list", "propertyListOptions", propertyList),
        FactoryDescription("xml-parser", "xmlOptions", xml),
        FactoryDescription("xml-document", "xmlDocumentOptions", xmlDocument),
        FactoryDescription("form", "formOptions", form),
        FactoryDescription("xssi", "xssiOptions", xssi),
        FactoryDescription("server-sent-events", "serverSentEventOptions", serverSentEvent),
        FactoryDescription("ndjson", "ndjsonOptions", ndjson),
        FactoryDescription("json-seq", "jsonSequenceOptions", jsonSequence),
        FactoryDescription("csv-rows", "csvRowsOptions", csvRows),
        FactoryDescription("multipart-parts", "multipartPartsOptions", multipartParts),
        FactoryDescription("image", "imageOptions", image),
        FactoryDescription("raw", "rawOptions", []),
    ]
}

// The options of each factory: the meaning, the values and the default of each key. The `Options` structs of the
// factories have only the names and types of their keys.

extension FactoryDescription {
    private static let csvRows: [ManifestKey] = [
        ManifestKey("delimiter", .character, default: ",", "The character between two fields."),
        ManifestKey(
            "quote", .character, default: "\"",
            "The character around a field that contains a delimiter or a line end. It is doubled inside the field."),
        ManifestKey(
            "header", .bool, default: true,
            "Whether the first row has the names of the columns, unless the `header` parameter of the media type decides it."
        ),
        charset,
        charsetOverride,
        ManifestKey(
            "badRows", .words(BadElements.allCases.map(\.rawValue)), default: "error",
            "The effect of a row that is malformed or not of the wanted type: an error with its line, or it is skipped and counted. A header row, a row that is too long, a quote that is never closed, and text that is malformed in another charset than UTF-8 are always errors."
        ),
        ManifestKey(
            "columns", .list(.text(), atLeast: 1, isSet: true),
            "The columns of a table in a request, in order; by default the columns of its rows."),
    ]

    private static func rule(_ option: String, _ usual: String, _ meaning: String) -> ManifestKey {
        ManifestKey(option, .words(FormOptions.words(option)), default: JSON(usual), meaning)
    }

    private static let form: [ManifestKey] = [
        ManifestKey(
            "maxFields", .integer(1...1_000_000), default: 10_000,
            "The largest number of fields of a form in a response."),
        rule("arrays", "noBrackets", "The name of an element of the array `a`: `a[]`, `a` or `a[0]`."),
        rule("bools", "literal", "The text of true and false: `1` and `0`, or `true` and `false`."),
        rule(
            "dates", "iso8601",
            "How a `Date` is written: in seconds since 2001 (`deferred`) or 1970, in milliseconds since 1970, or as `2026-01-31T23:59:59Z`."
        ),
        rule("data", "base64", "How a `Data` is written: as an array of numbers (`deferred`), or in Base64."),
        rule(
            "keys", "asIs",
            "How `someName` in code is spelt: as it is, `some_name`, `some-name`, `SomeName`, `SOMENAME` or `somename`."
        ),
        rule("members", "brackets", "The name of the member `b` of the object `a`: `a[b]` or `a.b`."),
        rule(
            "nulls", "dropped",
            "The field of a null, and of an optional that is nil: `name`, `name=`, `name=null`, or none."),
        rule("spaces", "plus", "The escape of a space: `%20` or `+`."),
        rule(
            "order", "given",
            "The order of the fields: as the value encodes them; sorted by member name in every object, or in the outermost only; or sorted by the text of the finished field."
        ),
    ]

    /// The keys of `ImageOptions`, also in builds without images.
    private static let image: [ManifestKey] = [
        ManifestKey(
            "inflate", .bool, default: true,
            "Whether the pixels are decoded at once. Otherwise they are decoded when they are first used."),
        ManifestKey("scale", .number(above: 0, through: 16), default: 1, "The number of pixels of one point."),
        ManifestKey(
            "frames", .words(["first", "all"]), default: "first", "The frames of an animation that are decoded."),
        ManifestKey(
            "maxFrames", .integer(1...1_000_000), default: 10_000,
            "The largest number of frames of a GIF, or of images in an ICO file, whether they are decoded or not."),
    ]

    private static let json: [ManifestKey] =
        problem + [
            ManifestKey(
                "pretty", .bool, default: false,
                "Whether a request body has each element and member on its own line, indented by two spaces a level."),
            ManifestKey(
                "sortedKeys", .bool, default: false,
                "Whether the members of objects in a request body are sorted by the bytes of their keys."),
        ]

    private static let problem: [ManifestKey] =
        jsonValue + [
            ManifestKey(
                "singleSpaceIsEmpty", .bool, default: true,
                "Whether a body of one space, which Rails sends for no content, is read as null.")
        ]

    private static let jsonValue: [ManifestKey] = [
        ManifestKey(
            "keys", .words(JSON.CodingOptions.Keys.allCases.map(\.rawValue)), default: "asIs",
            "The spelling of names in the body: as in code, or `someName` as `some_name`. As in Foundation, `user_id` is then read as `userId`, not as `userID` or a coding key `\"user_id\"`."
        ),
        ManifestKey(
            "dates", .words(JSON.CodingOptions.Dates.allCases.map(\.rawValue)), default: "deferred",
            "The form of a `Date` in the body: seconds since 2001 (`deferred`) or 1970, milliseconds since 1970, or `2026-01-31T23:59:59Z`."
        ),
        ManifestKey(
            "data", .words(JSON.DataStrategy.allCases.map(\.rawValue)), default: "base64",
            "The form of a `Data` in the body: Base64, or an array of numbers (`deferred`)."),
        ManifestKey(
            "nonConformingFloats", .words(["error"], or: .object(nonConformingFloats)), default: "error",
            "Infinity and NaN, which JSON does not have: an error, or three strings that stand for them."),
        ManifestKey(
            "fragments", .bool, default: true, "Whether a document may be a value other than an object or array."),
        ManifestKey(
            "duplicateKeys", .words(JSONValueOptions.DuplicateKeys.allCases.map(\.rawValue)), default: "last",
            "The meaning of a key that occurs twice in an object: its last value, or an error."),
        ManifestKey(
            "removeNulls", .words(JSONValueOptions.RemoveNulls.allCases.map(\.rawValue)), default: "none",
            "The nulls that are removed from the value: none, those in objects, or those in objects and arrays."),
    ]

    private static let nonConformingFloats = ManifestObject(
        "nonConformingFloats",
        ManifestKey("positiveInfinity", .text(), "The string that is infinity.", need: .everyObject),
        ManifestKey("negativeInfinity", .text(), "The string that is minus infinity.", need: .everyObject),
        ManifestKey("nan", .text(), "The string that is not a number.", need: .everyObject))

    private static let jsonSequence: [ManifestKey] =
        [
            ManifestKey(
                "badTexts", .words(BadElements.allCases.map(\.rawValue)), default: "error",
                "The effect of a text that is not JSON, cut off, or not of the wanted type: an error with its number, or it is skipped and counted."
            ),
            ManifestKey(
                "maxTextBytes", .integer(1...Int.max), default: 16_777_216, "The largest size of a text in bytes."),
        ] + jsonValue

    private static let multipartParts: [ManifestKey] = [
        ManifestKey("maxParts", .integer(1...1_000_000), default: 1000, "The largest number of parts of a body.")
    ]

    private static let ndjson: [ManifestKey] =
        [
            ManifestKey(
                "badLines", .words(BadElements.allCases.map(\.rawValue)), default: "error",
                "The effect of a line that is not JSON or not of the wanted type: an error with its number, or it is skipped and counted."
            ),
            ManifestKey(
                "maxLineBytes", .integer(1...Int.max), default: 16_777_216, "The largest size of a line in bytes."),
        ] + jsonValue

    private static let serverSentEvent: [ManifestKey] =
        [
            ManifestKey(
                "events", .list(.text(minimum: 1), atLeast: 1),
                "The types of the events that are read, `message` for events without a type; by default all types."),
            ManifestKey(
                "until", .text(minimum: 1),
                "The data of the event that ends the stream, such as `[DONE]`. This event is not an element, and the bytes after it are not read."
            ),
            ManifestKey(
                "maxLineBytes", .integer(1...Int.max), default: 8_388_608, "The largest size of a line in bytes."),
            ManifestKey(
                "maxEventBytes", .integer(1...Int.max), default: 8_388_608,
                "The largest size of the data of an event in bytes."),
        ] + jsonValue

    private static let charset = ManifestKey(
        "charset", .text(minimum: 1), default: "utf-8",
        "The charset of a response that names no charset, as a label of the WHATWG Encoding Standard.")

    private static let charsetOverride = ManifestKey(
        "charsetOverride", .text(minimum: 1),
        "The charset of every response, as a label of the WHATWG Encoding Standard. It overrides the charset that the response names, but not a byte order mark."
    )

    private static let propertyList = [charsetOverride]

    private static let text: [ManifestKey] = [
        charset,
        charsetOverride,
        ManifestKey("lossy", .bool, default: false, "Whether malformed bytes become U+FFFD instead of an error."),
    ]

    private static let xmlDocument: [ManifestKey] =
        xml + [
            ManifestKey(
                "decodes", .bool, default: false,
                "Whether the entry also decodes any `Decodable` type from the document.")
        ]

    private static let xml: [ManifestKey] = [
        ManifestKey(
            "doctype", .words(XMLLimits.Doctype.allCases.map(\.rawValue)), default: "ignore",
            "The effect of a document type declaration: it is ignored, or refused, or its entities with text are expanded. With `allow`, an element is refused if the declaration gives one of its attributes a default value or a type other than CDATA."
        ),
        ManifestKey(
            "maxDepth", .integer(1...10_000), default: 256,
            "The greatest depth of an element; the root is at depth 1."),
        ManifestKey(
            "maxAttributes", .integer(1...10_000), default: 1_000,
            "The largest number of attributes of an element, including namespace declarations."),
        ManifestKey(
            "maxCharacters", .integer(1...Int.max),
            "The largest size of the text in bytes of UTF-8, after entities are expanded. It can't exceed the largest body. By default ten times the size of the body, at least 1 MiB and at most 64 MiB."
        ),
        ManifestKey(
            "maxNodes", .integer(1...50_000_000), default: 5_000_000,
            "The largest number of nodes and attributes of a tree; `xml-parser` makes no tree."),
        charsetOverride,
    ]

    private static let xssi: [ManifestKey] = [
        ManifestKey(
            "prefix", .text(minimum: 1),
            "The prefix that is removed from the start of the body. By default `)]}'`, with the comma and the line end after it, if there are any."
        )
    ]
}
