import Foundation
import Patchbay
import Testing

/// An example of the reference, laid over the standard table, and what it does.
struct ReferenceExample: Sendable, CustomTestStringConvertible {
    /// The section that has it.
    let heading: String
    /// Which of the section's examples it is.
    let number: Int
    let probes: [ReferenceProbe]
    var testDescription: String { "\(heading) \(number)" }

    init(_ heading: String, _ number: Int = 0, _ probes: ReferenceProbe...) {
        self.heading = heading
        self.number = number
        self.probes = probes
    }

    /// The section whose factory is registered in code.
    static let own = "A factory of your own"

    /// The entries behind those of whole values.
    private static let streams = "ndjson json-seq server-sent-events csv-rows multipart-parts"

    static let all = structure + entries + policies + hosts + options

    private static let structure = [
        ReferenceExample(
            "The manifest", 0, .takes("text/html", host: "legacy.example.com", "legacy-json"),
            .takes("text/html", "text"),
            .takes("text/csv", "csv")),
        ReferenceExample(
            "Who writes a request", 0, .writer(nil, host: "legacy.example.com", "form"),
            .writer("application/json", host: "legacy.example.com", "json"), .writer(nil, "json"),
            .policy(host: "legacy.example.com", "application/x-www-form-urlencoded") { "\($0.requestContentType)" }),
        ReferenceExample(
            "Who writes a request", 1, .takes("text/html", "page-json"), .writer("text/html", "error"),
            .writer("application/vnd.acme", "acme-json"), .takes("application/vnd.acme", "raw")),
        ReferenceExample(
            "Layers", 0,
            .order("csv xssi problem json property-list xml xml-parser form image javascript-json text \(streams)"),
            .reads("application/json", "[null]", "[]"), .reads("application/json", #"{"a":null}"#, "{}"),
            ReferenceProbe(
                question: "aliases",
                answer:
                    #"{"image/pjpeg":"image/jpeg","application/ndjson":"application/x-ndjson","application/x-jsonlines":"application/jsonl"}"#
            ) { registry in
                registry.effectiveManifest["aliases"]?.description ?? ""
            }),
        ReferenceExample("The top level", 0, .changesNothing),
        ReferenceExample(
            "The top level", 1, .order("json"), .takes("text/plain", "raw"), .takes("application/json", "json")),
        ReferenceExample(
            "The top level", 2, .takes("text/x-json", "json"), .takes("text/x-yaml", "text"),
            .reads("text/x-json;charset=utf-8", "[1]", "[1]")),
        ReferenceExample(
            "The top level", 3,
            .order("xssi problem json property-list xml xml-parser form image text javascript-json \(streams)")
        ),
    ]

    private static let entries = [
        ReferenceExample(
            "Entries", 0, .takes("text/csv", "csv"), .takes("text/csv", status: 404, "text"),
            .reads("text/csv", [0xE9], "é")),
        ReferenceExample(
            "Entries", 1, .reads("text/plain", "[1]", "[1]"), .reads("text/plain", "hello", "hello"),
            .reads("text/plain", "[1, 2, 3, 4]", "[1, 2, 3, 4]")),
        ReferenceExample(
            "Entries", 2, .reads("application/json", ")]}',\n[1]", "[1]"),
            .reads("application/json", ")]}'\n[1]", "[1]"), .takes("application/x-plist", "raw"),
            .takes("image/avif", "raw")),
        ReferenceExample(
            "Entries", 3,
            .order("text xssi problem csv json property-list xml form xml-parser image javascript-json \(streams)")),
        ReferenceExample("Entries", 4, .takes("text/javascript", "plain"), .warnings("")),
        ReferenceExample(
            "Match", 0, .takes("application/vnd.acme.v2+json", "json"), .takes("application/vnd.acme+json;v=2", "acme"),
            .takes("application/json;v=2", status: 200, "json"),
            .takes("application/vnd.acme+json;v=2", status: 503, "json"),
            .takes("application/vnd.acme+json;v=2", status: 404, "acme")),
        ReferenceExample(
            "Match", 1, .takes("application/vnd.acme.list", "raw"),
            .decodes("application/vnd.acme.list", "[1,2]", as: [Int].self, "[1, 2]")),
        ReferenceExample(
            "Limits of an entry", 0, .reads("text/html", "1234", "1234"), .reads("text/html", "12345", "failure"),
            .reads("text/plain", "12345", "12345")),
    ]

    private static let policies = [
        ReferenceExample(
            "Policy", 0, .takes("application/octet-stream", "json"), .takes(nil, "json"), .takes("*/*", "error"),
            .policy("2XX, 404") { "\($0.acceptableStatus)" }, .policy("none") { "\($0.accept)" },
            ReferenceProbe(question: "Accept", answer: "nil") { "\($0.accept(for: nil) ?? "nil")" }),
        ReferenceExample(
            "Policy", 1, .policy("standard") { "\($0.cache)" },
            .policy(host: "api.example.com/map", "off") { "\($0.cache)" },
            .policy(host: "api.example.com/maps/1", "explicit") { "\($0.cache)" }),
        ReferenceExample(
            "Empty bodies", 0, .takes("application/json", method: "OPTIONS", "empty"),
            .takes("application/json", status: 205, "json"), .reads("application/json", "", "failure"),
            .policy("HEAD, OPTIONS or 204, 304, otherwise error") { "\($0.empty)" }),
        ReferenceExample(
            "Limits of a policy", 0, .reads("application/json", "[1]", "[1]"),
            .reads("application/json", "[1,2]", "failure"),
            ReferenceProbe(question: "limit", answer: "4") { "\($0.explain(contentType: "a/b").bodyLimit)" }),
    ]

    private static let hosts = [
        ReferenceExample(
            "Host sections", 0, .takes("text/html", host: "legacy.example.com", "legacy-json"),
            .takes("text/html", host: "www.legacy.example.com", "text"),
            .takes("application/json", host: "legacy.example.com:8443", "json"),
            .policy(host: "legacy.example.com", "error") { "\($0.noMatch)" }, .policy("raw") { "\($0.noMatch)" }),
        ReferenceExample(
            "Host sections", 1, .order(host: "a.cdn.example.com", "text json"),
            .takes("image/png", host: "a.cdn.example.com", "raw"),
            .takes("text/javascript", host: "a.cdn.example.com", "text"),
            .takes("text/javascript", host: "cdn.example.com", "javascript-json")),
        ReferenceExample(
            "Host sections", 2, .order(host: "api.example.com:8443", "only-json"),
            .takes("text/plain", host: "api.example.com:8443", "raw"),
            .takes("text/plain", host: "api.example.com", "text")),
        ReferenceExample(
            "Host sections", 3,
            .order(
                host: "api.example.com",
                "shared-json api-text xssi problem json property-list xml xml-parser form image javascript-json text \(streams)"
            ),
            .order(
                host: "shop.example.com",
                "shared-json shared-csv xssi problem json property-list xml xml-parser form image javascript-json text \(streams)"
            ),
            .order(
                host: "www.example.com",
                "xssi problem json property-list xml xml-parser form image javascript-json text \(streams)"),
            .warnings("")),
        ReferenceExample(
            "Host sections", 4,
            .order(
                host: "a.example.com",
                "xssi problem json property-list form image javascript-json text \(streams)"),
            .takes("text/xml", host: "a.example.com", "text"), .takes("application/xml", host: "a.example.com", "raw"),
            .takes("text/xml", host: "example.com", "xml"), .warnings("")),
        ReferenceExample(
            "Host sections", 5, .takes("text/plain", host: "api.example.com/export", "export"),
            .takes("text/plain", host: "API.example.com/%65xport/2026?a", "export"),
            .takes("text/plain", host: "api.example.com/exports", "text"),
            .takes("text/plain", host: "api.example.com", "text"),
            .takes("application/json", host: "api.example.com/export", "json"),
            .policy(host: "api.example.com/export", "1073741824") { "\($0.maximumBodyBytes)" },
            .policy(host: "api.example.com", "67108864") { "\($0.maximumBodyBytes)" }),
    ]

    private static let hasImages = SerializerFactories.standard.names.contains("image")

    private struct User: Decodable, Sendable, CustomStringConvertible {
        let name: String
        var description: String { name }
    }

    private struct Reading: Codable, Sendable, CustomStringConvertible {
        let takenAt: Date
        let level: Double
        let raw: Data
        var description: String { "\(takenAt.timeIntervalSince1970) \(level) \(Array(raw))" }
    }

    private struct Order: Encodable, Sendable {
        var toName = "Ada L"
        var tags = ["x", "y"]
        var isGift = true
        var due = Date(timeIntervalSince1970: 1)
        var size = ["w": 2]
        var note: String?
    }

    /// What becomes of a GIF of one pixel and so many frames.
    private static func gif(_ frames: Int, _ answer: String) -> ReferenceProbe {
        ReferenceProbe(question: "a GIF of \(frames) frames", answer: answer) { registry in
            let pixel = try #require(Data(base64Encoded: "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="))
            let frame = pixel.dropFirst(13).dropLast()
            let bytes = Array(pixel.prefix(13)) + Array(repeating: frame, count: frames).joined() + [0x3B]
            guard let made = try? registry.explain(contentType: "image/gif").serialize(ResponseBody(bytes)) else {
                return "failure"
            }
            guard let image = made.value as? DecodedImage else { return made.outcome.rawValue }
            return "\(image.frames.count) frames, scale \(image.scale)"
        }
    }

    private static let options = [
        ReferenceExample(
            "`json`", 0,
            .decodes(
                "application/json", #"{"taken_at": "1970-01-02T00:00:00Z", "level": "INF", "raw": [1, 2]}"#,
                as: Reading.self,
                "86400.0 inf [1, 2]"),
            .reads("application/json", #"{"a":null,"b":[null]}"#, #"{"b":[null]}"#),
            .reads("application/json", "1", "failure"),
            .reads("application/json", #"{"a":1,"a":2}"#, "failure"), .reads("application/json", " ", "failure"),
            .writes(
                Reading(takenAt: Date(timeIntervalSince1970: 86400), level: .infinity, raw: Data([1])),
                in: .json,
                """
                {
                  "level": "INF",
                  "raw": [
                    1
                  ],
                  "taken_at": "1970-01-02T00:00:00Z"
                }
                """)),
        ReferenceExample(
            "`problem-json`", 0,
            .decodes(
                "application/problem+json", status: 400,
                #"{"taken_at": "1970-01-02T00:00:00Z", "level": "INF", "raw": [1, 2]}"#, as: Reading.self,
                "86400.0 inf [1, 2]")),
        ReferenceExample(
            "`xml-document`", 0, .decodes("text/xml", "<user><name>Ada</name></user>", as: User.self, "Ada"),
            .reads("text/xml", #"<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>"#, "x"),
            .reads("text/xml;charset=utf-8", [0x3C, 0x61, 0x3E, 0xE9, 0x3C, 0x2F, 0x61, 0x3E], "é"),
            .reads("text/xml", "<a><b/></a>", ""),
            .reads("text/xml", "<a><b><c/></b></a>", "failure"), .reads("text/xml", #"<a b="1" c="2"/>"#, "failure"),
            .reads("text/xml", "<a><b/><b/><b/></a>", "failure"),
            .reads("text/xml", "<a>\(String(repeating: "x", count: 41))</a>", "failure")),
        ReferenceExample(
            "`xml-parser`", 0, .reads("text/xml", "<a/>", "XMLParserSource"),
            .reads("text/xml;charset=x-none", [0x3C, 0x61, 0x3E, 0xE9, 0x3C, 0x2F, 0x61, 0x3E], "XMLParserSource"),
            .reads("text/xml", "<a b=\"1\" c=\"2\"/>", "failure"), .reads("text/xml", "<!DOCTYPE a><a/>", "failure")),
        ReferenceExample(
            "`property-list`", 0,
            .reads("application/x-plist;charset=x-none", "<plist><true/></plist>", "PropertyList")),
        ReferenceExample(
            "`text`", 0, .reads("text/plain", [0xE9], "é"), .reads("text/plain;charset=utf-8", [0xE9], "\u{FFFD}")),
        ReferenceExample(
            "`text`", 1, .reads("text/plain;charset=utf-8", [0xE9], "é"), .reads("text/plain", [0xE9], "é")),
        ReferenceExample(
            "`raw`", 0, .takes("text/html", status: 502, "server-errors"),
            .takes("application/problem+json", status: 500, "server-errors"),
            .takes("application/problem+json", status: 404, "problem"), .takes("text/html", "text"), .warnings("")),
        ReferenceExample(
            "`image`", 0,
            gif(1, hasImages ? "0 frames, scale 2.0" : "raw"), gif(500, hasImages ? "0 frames, scale 2.0" : "raw"),
            gif(501, hasImages ? "failure" : "raw")),
        ReferenceExample(
            "`form`", 0, .reads("application/x-www-form-urlencoded", "a=1&b=2", "FormFields"),
            .reads("application/x-www-form-urlencoded", "a=1&b=2&c=3", "failure"),
            .writes(
                Order(), in: .form,
                "due=1&is_gift=1&note=&size.w=2&tags%5B%5D=x&tags%5B%5D=y&to_name=Ada%20L"),
            .writes(1, in: .form, "failure"), .writes(["a"], in: .form, "failure"),
            .writes(["a": ["b": "c d"] as FormFields], in: .form, "a.b=c%20d"),
            .writes(["b c": ""] as FormFields, in: .form, "b%20c=")),
        ReferenceExample(
            "`xssi`", 0, .reads("application/json", "while(1);[1]", "[1]"), .reads("application/json", "[2]", "[2]"),
            .reads("application/json", ")]}'\n[1]", "failure")),
        ReferenceExample(
            "`server-sent-events`", 0,
            .reads("text/event-stream", "data: x\n\ndata: [DONE]\n\n", "Array<ServerSentEvent>"),
            .reads("text/event-stream", "data: \(String(repeating: "x", count: 60))\n\n", "failure")),
        ReferenceExample(
            "`ndjson`", 0, .reads("application/jsonl", "[1]\nx\n", "Array<JSON>"),
            .reads("application/jsonl", "[\(String(repeating: " ", count: 63))]\n", "failure")),
        ReferenceExample(
            "`json-seq`", 0, .reads("application/json-seq", "\u{1E}[1]\n\u{1E}x\n", "Array<JSON>"),
            .reads("application/json-seq", "\u{1E}[\(String(repeating: " ", count: 63))]\n", "failure")),
        ReferenceExample(
            "`csv-rows`", 0,
            ReferenceProbe(question: "rows", answer: "2, é;, -") { registry in
                let bad: [UInt8] = [0x27, 0x31, 0x27, 0x32, 0x0A]
                let made = try registry.explain(contentType: "text/x-table").serialize(
                    ResponseBody([0x31, 0x3B, 0x27, 0xE9, 0x3B, 0x27, 0x0A] + bad + [0x32]))
                let rows = made.value as? [CSVRow] ?? []
                return "\(rows.count), \(rows.first?.last ?? ""), \(rows.first?.names?.first ?? "-")"
            },
            .writes([["age": "36", "name": "it's"], ["name": "a;b"]], in: "text/x-table", "'it''s';36\r\n'a;b';\r\n"),
            .writes([["1", "2", "3"]], in: "text/x-table", "failure"),
            .writes([["size": "1"]], in: "text/x-table", "failure")),
        ReferenceExample(
            "`csv-rows`", 1,
            ReferenceProbe(question: "a row", answer: "é") { registry in
                let decision = registry.explain(contentType: "text/csv;charset=x-none", as: [CSVRow].self)
                return try decision.serialize(ResponseBody([0x61, 0x0A, 0xE9]), as: [CSVRow].self).value.first?.first
                    ?? ""
            }),
        ReferenceExample(
            "`multipart-parts`", 0,
            .reads("multipart/x-batch; boundary=b", "--b\n\n1\n--b\n\n2\n--b--", "Array<ResponsePart>"),
            .reads("multipart/x-batch; boundary=b", "--b\n\n1\n--b\n\n2\n--b\n\n3\n--b--", "failure")),
        ReferenceExample(
            own, 0, .decodes("text/x-settings", "name:Ada", as: [String: String].self, #"["name": "Ada"]"#),
            .reads("text/x-settings", "a:1\nb:2=3", #"{"a":"1","b":"2=3"}"#), .takes("text/plain", "text")),
    ]
}
