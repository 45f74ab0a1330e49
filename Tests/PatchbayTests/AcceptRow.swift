import Foundation
import PatchbayRegistry
import Testing

@testable import Patchbay

/// A call, a manifest, and the Accept field of the request.
struct AcceptRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The members of the manifest over the built-in table.
    var manifest = ""
    var host: String?
    var wanted = WantedValue.type(StandardAcceptTests.User.self)
    var acceptable: StatusSet?
    /// The field; nil for none.
    let accept: String?

    init(
        _ name: String, manifest: String = "", host: String? = nil,
        as wanted: WantedValue = .type(StandardAcceptTests.User.self), acceptable: StatusSet? = nil, is accept: String?
    ) {
        testDescription = name
        (self.manifest, self.host, self.wanted) = (manifest, host, wanted)
        (self.acceptable, self.accept) = (acceptable, accept)
    }

    /// A row about an entry of one host.
    init(
        _ name: String, entry: String, of host: String = "a.test",
        as wanted: WantedValue = .type(StandardAcceptTests.User.self), acceptable: StatusSet? = nil, is accept: String?
    ) {
        let manifest = #""hosts": { "a.test": { "plugins": [\#(entry)] } }"#
        self.init(name, manifest: manifest, host: host, as: wanted, acceptable: acceptable, is: accept)
    }
}

extension AcceptRow {
    private static func entry(
        _ factory: String, _ types: String, _ more: String = "", id: String = "page"
    ) -> String {
        #"{ "id": "\#(id)", "factory": "\#(factory)", "match": { "types": [\#(types)] \#(more) } }"#
    }

    static let page = entry("json", #""text/html""#)

    private static let plists = "application/x-plist, application/x-apple-plist, application/x-apple-binary-plist"
    private static let parts = "multipart/mixed, multipart/form-data"
    static let typed = "application/json, application/problem+json;q=0.9, */*;q=0.1"
    private static let untyped =
        "application/json, application/x-plist;q=0.9, application/x-apple-plist;q=0.9, "
        + "application/x-apple-binary-plist;q=0.9, application/problem+json;q=0.8, */*;q=0.1"
    private static let elements =
        "application/x-ndjson, application/jsonl, application/json-seq;q=0.9, text/event-stream;q=0.8, text/csv;q=0.7, "
        + "multipart/mixed;q=0.6, multipart/form-data;q=0.6, application/json;q=0.5, text/javascript;q=0.4, "
        + "application/problem+json;q=0.3, */*;q=0.1"

    /// A field with one more type before its end.
    static func with(_ type: String, _ field: String) -> String {
        field.replacing("*/*;q=0.1", with: "\(type);q=0.2, */*;q=0.1")
    }

    /// The values of the built-in table.
    static let standard = [
        AcceptRow("any value", as: .anything, is: untyped),
        AcceptRow("any value or elements", as: .valueOrElements, is: untyped),
        AcceptRow("any value of any status", as: .anything, acceptable: .any, is: untyped),
        AcceptRow("text", as: .type(String.self), is: "*/*"),
        AcceptRow("optional text", as: .type(String?.self), is: "*/*"),
        AcceptRow("bytes", as: .type(Data.self), is: "*/*"),
        AcceptRow("a Decodable", is: typed),
        AcceptRow("an optional Decodable", as: .type(StandardAcceptTests.User?.self), is: typed),
        AcceptRow("an array of a Decodable", as: .type([StandardAcceptTests.User].self), is: typed),
        AcceptRow("JSON", as: .type(JSON.self), is: typed),
        AcceptRow("a problem", as: .type(Problem.self), is: typed),
        AcceptRow(
            "a property list", as: .type(PropertyList.self),
            is: "\(plists), text/x-apple-plist+xml, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow(
            "XML", as: .type(XMLTree.self), is: "application/xml, text/xml, application/problem+json;q=0.9, */*;q=0.1"),
        AcceptRow(
            "a form", as: .type(FormFields.self),
            is: "application/x-www-form-urlencoded, application/problem+json;q=0.9, */*;q=0.1"),
        AcceptRow(
            "an array of events", as: .type([ServerSentEvent].self),
            is: "text/event-stream, application/problem+json;q=0.9, */*;q=0.1"),
        AcceptRow(
            "an array of rows", as: .type([CSVRow].self), is: "text/csv, application/problem+json;q=0.9, */*;q=0.1"),
        AcceptRow(
            "an array of parts", as: .type([ResponsePart].self),
            is: "\(parts), application/problem+json;q=0.9, */*;q=0.1"),
        AcceptRow(
            "an array of XML", as: .type([XMLTree].self), is: "\(parts), application/problem+json;q=0.9, */*;q=0.1"),
        AcceptRow(
            "any other type", as: .type(StandardAcceptTests.Other.self), is: "application/problem+json, */*;q=0.1"),
        AcceptRow(
            "an array of it", as: .type([StandardAcceptTests.Other].self),
            is: "\(parts), application/problem+json;q=0.9, */*;q=0.1"),
        AcceptRow(
            "elements that are text", as: .elements(of: String.self),
            is: "\(parts), text/*;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow("elements that are Decodable", as: .elements(of: StandardAcceptTests.User.self), is: elements),
        AcceptRow("elements that are JSON", as: .elements(of: JSON.self), is: elements),
        AcceptRow(
            "elements that are XML", as: .elements(of: XMLTree.self),
            is: "\(parts), application/xml;q=0.9, text/xml;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow(
            "elements that are events", as: .elements(of: ServerSentEvent.self),
            is:
                "text/event-stream, multipart/mixed;q=0.9, multipart/form-data;q=0.9, application/problem+json;q=0.8, */*;q=0.1"
        ),
        AcceptRow(
            "elements that are arrays of rows", as: .elements(of: [CSVRow].self),
            is: "\(parts), text/csv;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow(
            "elements of any other type", as: .elements(of: StandardAcceptTests.Other.self),
            is: "\(parts), application/problem+json;q=0.9, */*;q=0.1"),
    ]

    static let tolerated = [
        AcceptRow("a typed call", entry: page, is: with("text/html", typed)),
        AcceptRow("an untyped call", entry: page, as: .anything, is: with("text/html", untyped)),
        AcceptRow("an array", entry: page, as: .type([StandardAcceptTests.User].self), is: with("text/html", typed)),
        AcceptRow("an optional", entry: page, as: .type(StandardAcceptTests.User?.self), is: with("text/html", typed)),
        AcceptRow(
            "elements", entry: page, as: .elements(of: StandardAcceptTests.User.self), is: with("text/html", elements)),
        AcceptRow("text", entry: page, as: .type(String.self), is: "*/*"),
        AcceptRow("bytes", entry: page, as: .type(Data.self), is: "*/*"),
        AcceptRow("another host", entry: page, of: "b.test", is: typed),
        AcceptRow(
            "a property list, which is before JSON", entry: page, as: .type(PropertyList.self),
            is:
                "\(plists), text/x-apple-plist+xml, application/json;q=0.9, application/problem+json;q=0.8, text/html;q=0.2, */*;q=0.1"
        ),
        AcceptRow(
            "a type that JSON does not make", entry: page, as: .type(StandardAcceptTests.Other.self),
            is: "application/problem+json, */*;q=0.1"),
        AcceptRow("for all hosts", manifest: #""plugins": [\#(page)]"#, is: with("text/html", typed)),
        AcceptRow(
            "for a wildcard", manifest: #""hosts": { "*.test": { "plugins": [\#(page)] } }"#, host: "b.test",
            is: with("text/html", typed)),
        AcceptRow(
            "a narrower host without it",
            manifest:
                #""hosts": { "*.test": { "plugins": [\#(page)] }, "b.test": { "hides": ["page"], "use": ["json"] } }"#,
            host: "b.test", is: typed),
        AcceptRow("beside JSON", entry: entry("json", #""@json", "text/html""#), is: with("text/html", typed)),
        AcceptRow(
            "before JSON of the same entry", entry: entry("json", #""text/html", "application/json""#),
            is: with("text/html", typed)),
        AcceptRow("beside a suffix", entry: entry("json", #""+json", "text/html""#), is: with("text/html", typed)),
        AcceptRow(
            "bytes that are JSON", entry: entry("json", #""application/octet-stream""#),
            is: with("application/octet-stream", typed)),
        AcceptRow(
            "a suffix of another format", entry: entry("json", #""application/vnd.acme+xml""#),
            is: with("application/vnd.acme+xml", typed)),
        AcceptRow("a range", entry: entry("json", #""text/*""#), is: with("text/*", typed)),
        AcceptRow("a range, in an untyped call", entry: entry("json", #""text/*""#), as: .anything, is: untyped),
        AcceptRow("everything", entry: entry("json", #""*/*""#), is: typed),
        AcceptRow("a parameter", entry: entry("json", #""text/html;level=1""#), is: with("text/html;level=1", typed)),
        AcceptRow(
            "a type that another entry has by name", entry: entry("json", #""text/event-stream""#),
            as: .elements(of: StandardAcceptTests.User.self), is: elements),
        AcceptRow(
            "120 bytes, and no more",
            entry: entry(
                "json", #""a/\#(String(repeating: "b", count: 58))", "c/\#(String(repeating: "d", count: 58))""#),
            is: with("a/" + String(repeating: "b", count: 58), typed)),
        AcceptRow("for other statuses", entry: entry("json", #""text/html""#, #", "status": ["4XX"]"#), is: typed),
        AcceptRow(
            "for a status that the request accepts", entry: entry("json", #""text/html""#, #", "status": ["4XX"]"#),
            acceptable: .any, is: typed),
        AcceptRow("switched off", entry: page.replacing(#" } }"#, with: #" }, "enabled": false }"#), is: typed),
        AcceptRow(
            "accept all", manifest: #""policy": { "accept": "all" }, "plugins": [\#(page)]"#,
            is: "application/json, application/x-plist;q=0.9, application/x-apple-plist;q=0.9, "
                + "application/x-apple-binary-plist;q=0.9, text/x-apple-plist+xml;q=0.9, text/javascript;q=0.8, "
                + "application/problem+json;q=0.7, text/html;q=0.2, */*;q=0.1"),
        AcceptRow("accept none", manifest: #""policy": { "accept": "none" }, "plugins": [\#(page)]"#, is: nil),
        AcceptRow(
            "no match is an error", manifest: #""policy": { "noMatch": "error" }, "plugins": [\#(page)]"#,
            is: "application/json, application/x-plist;q=0.9, application/x-apple-plist;q=0.9, "
                + "application/x-apple-binary-plist;q=0.9, text/x-apple-plist+xml;q=0.9, text/javascript;q=0.8, "
                + "application/problem+json;q=0.7, text/html;q=0.2"),
        AcceptRow(
            "no entry reads JSON", manifest: #""inherit": false, "plugins": [\#(page)]"#, is: "text/html, */*;q=0.1"),
        AcceptRow(
            "XML", entry: entry("xml-document", #""text/html""#), as: .type(XMLTree.self),
            is: "application/xml, text/xml, application/problem+json;q=0.9, text/html;q=0.2, */*;q=0.1"),
        AcceptRow(
            "XML, of which an entry decodes every type",
            manifest:
                #""plugins": [{ "id": "xml", "options": { "decodes": true } }, { "id": "page", "factory": "xml-document", "match": { "types": ["text/html"] }, "options": { "decodes": true } }]"#,
            is:
                "application/xml, text/xml, application/json;q=0.9, application/problem+json;q=0.8, text/html;q=0.2, */*;q=0.1"
        ),
        AcceptRow(
            "XML, of which no other entry decodes a type",
            manifest:
                #""plugins": [{ "id": "page", "factory": "xml-document", "match": { "types": ["text/html"] }, "options": { "decodes": true } }]"#,
            is: "text/html, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow(
            "a property list under another type", entry: entry("property-list", #""text/x-table""#),
            is:
                "application/x-plist, application/json;q=0.9, application/problem+json;q=0.8, text/x-table;q=0.2, */*;q=0.1"
        ),
        AcceptRow(
            "a form", entry: entry("form", #""text/plain""#), as: .type(FormFields.self),
            is: "application/x-www-form-urlencoded, application/problem+json;q=0.9, text/plain;q=0.2, */*;q=0.1"),
        AcceptRow(
            "lines of JSON", entry: entry("ndjson", #""text/plain""#), as: .elements(of: StandardAcceptTests.User.self),
            is: "application/x-ndjson, application/jsonl;q=0.9, application/json-seq;q=0.8, text/event-stream;q=0.7, "
                + "text/csv;q=0.6, multipart/mixed;q=0.5, multipart/form-data;q=0.5, application/json;q=0.4, "
                + "text/javascript;q=0.3, application/problem+json;q=0.2, text/plain;q=0.2, */*;q=0.1"),
        AcceptRow(
            "JSON text sequences", entry: entry("json-seq", #""text/plain""#),
            as: .elements(of: StandardAcceptTests.User.self),
            is: "application/json-seq, application/x-ndjson;q=0.9, application/jsonl;q=0.9, text/event-stream;q=0.8, "
                + "text/csv;q=0.7, multipart/mixed;q=0.6, multipart/form-data;q=0.6, application/json;q=0.5, "
                + "text/javascript;q=0.4, application/problem+json;q=0.3, text/plain;q=0.2, */*;q=0.1"),
        AcceptRow(
            "events", entry: entry("server-sent-events", #""text/plain""#), as: .elements(of: ServerSentEvent.self),
            is: "text/event-stream, multipart/mixed;q=0.9, multipart/form-data;q=0.9, application/problem+json;q=0.8, "
                + "text/plain;q=0.2, */*;q=0.1"),
        AcceptRow(
            "rows", entry: entry("csv-rows", #""text/plain""#), as: .elements(of: CSVRow.self),
            is: "text/csv, multipart/mixed;q=0.9, multipart/form-data;q=0.9, application/problem+json;q=0.8, "
                + "text/plain;q=0.2, */*;q=0.1"),
        AcceptRow(
            "text, in an untyped call", entry: entry("text", #""application/sql""#), as: .anything,
            is: with("application/sql", untyped)),
        AcceptRow(
            "lines of text", entry: entry("text", #""application/sql""#), as: .elements(of: String.self),
            is: "\(parts), text/*;q=0.9, application/problem+json;q=0.8, application/sql;q=0.2, */*;q=0.1"),
        AcceptRow(
            "problem details", entry: entry("problem-json", #""application/json""#, #", "status": ["4XX"]"#),
            acceptable: .any, is: typed),
    ]

    private static let missing = #""policy": { "acceptableStatus": ["2XX", "404"] }"#
    private static let gone = entry("json", #""application/vnd.gone""#, #", "status": ["404"]"#, id: "gone")

    /// Statuses of failures that the policy or the request accepts: entries for failures only come last.
    static let failures = [
        AcceptRow("a Decodable", manifest: missing, is: typed),
        AcceptRow("an optional Decodable", manifest: missing, as: .type(StandardAcceptTests.User?.self), is: typed),
        AcceptRow("an array", manifest: missing, as: .type([StandardAcceptTests.User].self), is: typed),
        AcceptRow("JSON", manifest: missing, as: .type(JSON.self), is: typed),
        AcceptRow("any value", manifest: missing, as: .anything, is: untyped),
        AcceptRow("elements", manifest: missing, as: .elements(of: StandardAcceptTests.User.self), is: elements),
        AcceptRow("every status", manifest: #""policy": { "acceptableStatus": "any" }"#, is: typed),
        AcceptRow("of the request", acceptable: ["2XX", 404], is: typed),
        AcceptRow("of the request alone", acceptable: [404], is: typed),
        AcceptRow(
            "of one host", manifest: #""hosts": { "a.test": { \#(missing) } }"#, host: "a.test", is: typed),
        AcceptRow(
            "problem details, asked for by their type", manifest: missing, as: .type(Problem.self),
            is: "application/problem+json, application/json;q=0.9, */*;q=0.1"),
        AcceptRow("an entry of one's own", manifest: missing + #", "plugins": [\#(gone)]"#, is: typed),
        AcceptRow(
            "an entry of one's own, in an untyped call", manifest: missing + #", "plugins": [\#(gone)]"#,
            as: .anything, is: untyped),
        AcceptRow(
            "an entry of one's own, and no other that decodes",
            manifest: #""inherit": false, \#(missing), "plugins": [\#(gone)]"#,
            is: "application/vnd.gone, */*;q=0.1"),
        AcceptRow(
            "an entry of one's own, where the field names all",
            manifest:
                #""inherit": false, "policy": { "acceptableStatus": "any", "noMatch": "error" }, "plugins": [\#(gone), \#(page)]"#,
            is: "text/html, application/vnd.gone;q=0.9"),
        AcceptRow(
            "an entry for successes and failures keeps its place",
            manifest: missing
                + #", "plugins": [\#(entry("json", #""application/vnd.both""#, #", "status": ["404", "200"]"#))]"#,
            is: "application/vnd.both, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
    ]

    static let own = [
        AcceptRow(
            "JavaScript, which the built-in table reads as JSON", entry: entry("json", #""text/javascript""#),
            is: "text/javascript, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow(
            "a suffix", entry: entry("json", #""application/vnd.acme+json""#),
            is: "application/vnd.acme+json, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow(
            "a type of a vendor, with its parameter", entry: entry("json", #""application/vnd.acme;version=2""#),
            is: "application/vnd.acme;version=2, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow(
            "two versions of a type",
            manifest:
                #""plugins": [\#(entry("json", #""application/vnd.acme;version=1""#, id: "v1")), \#(entry("json", #""application/vnd.acme;version=2""#, id: "v2"))]"#,
            is: "application/vnd.acme;version=1, application/vnd.acme;version=2;q=0.9, application/json;q=0.8, "
                + "application/problem+json;q=0.7, */*;q=0.1"),
        AcceptRow(
            "two versions, and nothing that names JSON",
            manifest:
                #""inherit": false, "plugins": [\#(entry("json", #""application/vnd.acme;version=1""#, id: "v1")), \#(entry("json", #""application/vnd.acme;version=2""#, id: "v2"))]"#,
            is: "application/vnd.acme;version=1, application/vnd.acme;version=2;q=0.9, */*;q=0.1"),
        AcceptRow(
            "a group with a parameter", entry: entry("json", #""@json;v=2""#),
            is: "application/json;v=2, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow(
            "a parameter q, and a value in quotes", entry: entry("json", #""application/json;q=0.5;v=\"1,2\"""#),
            is: #"application/json;v="1,2", application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"#),
        AcceptRow(
            "text", entry: entry("text", #""text/csv""#), as: .anything,
            is: "text/csv, application/json;q=0.9, application/x-plist;q=0.8, application/x-apple-plist;q=0.8, "
                + "application/problem+json;q=0.7, */*;q=0.1"),
        AcceptRow(
            "rows between tabs", entry: entry("csv-rows", #""text/tab-separated-values""#),
            as: .elements(of: CSVRow.self),
            is: "text/tab-separated-values, text/csv;q=0.9, multipart/mixed;q=0.8, multipart/form-data;q=0.8, "
                + "application/problem+json;q=0.7, */*;q=0.1"),
        AcceptRow(
            "parts", entry: entry("multipart-parts", #""multipart/related""#), as: .elements(of: ResponsePart.self),
            is:
                "multipart/related, multipart/mixed;q=0.9, multipart/form-data;q=0.9, application/problem+json;q=0.8, */*;q=0.1"
        ),
        AcceptRow(
            "a factory of one's own", entry: entry("settings", #""text/html""#),
            is: "text/html, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        AcceptRow("an entry that unwraps says nothing", entry: entry("xssi", #""text/html""#), is: typed),
    ]
}
