import Foundation
import Patchbay
import PatchbayMigration
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

extension PrintedSample {
    /// What bodies become. Such a value is what its reader asked for: alone it shows what is in it.
    static func bodies() throws -> [PrintedSample] {
        let json = try JSON(parsing: #"{"name": "Ada", "born": 1815}"#)
        let document = #"<feed lang="en"><!--one--><title>Tea &amp; milk</title></feed>"#
        let head = ResponseHead(
            status: 200, fields: ["Content-Type": "text/xml"], url: URL(filePath: "/"),
            request: RequestHead(url: URL(filePath: "/")))
        let source = try XMLParserSerializer().serialize(ResponseBody(Data(document.utf8)), head)
        let tree = try XMLTree(parsing: Data(document.utf8))
        return [
            PrintedSample("JSON", json, #"{"name":"Ada","born":1815}"#),
            PrintedSample(
                "FormFields", ["title": "Tea & milk", "tag": "hot"] as FormFields, "title=Tea & milk&tag=hot"),
            PrintedSample(
                "CSVRow", CSVRow(["Ada", "tea, \"hot\"", ""], names: ["name", "drinks", "x"]),
                #"Ada,"tea, ""hot""","#),
            PrintedSample(
                "ResponsePart",
                ResponsePart(
                    fields: ["Content-Type": "text/plain", "X-Token": secret], body: ResponseBody(Data(secret.utf8))),
                "[Content-Type: text/plain, X-Token: <\(secret.utf8.count) bytes>] \(secret.utf8.count) bytes"),
            PrintedSample("Problem", Problem(["title": "Gone", "detail": "It has moved."]), "Gone: It has moved."),
            PrintedSample(
                "PropertyList",
                PropertyList.dictionary([
                    "name": .string("Ada \"A\""), "born": .date(Date(timeIntervalSince1970: 0)),
                    "photo": .data(Data([1, 2])),
                    "tags": .array([.integer(-1), .unsigned(.max), .real(0.5), .bool(true)]),
                ]),
                #"{"born": 1970-01-01T00:00:00Z, "name": "Ada \"A\"", "photo": <2 bytes>, "tags": [-1, 18446744073709551615, 0.5, true]}"#
            ),
            PrintedSample(
                "ServerSentEvent", ServerSentEvent(type: "token", data: PrintedSample.secret, lastEventID: "1"),
                "token, \(PrintedSample.secret.utf8.count) bytes"),
            PrintedSample("XMLTree", tree, document),
            PrintedSample("XMLTree.Element", try #require(tree.root["title"]), "<title>Tea &amp; milk</title>"),
            PrintedSample("XMLTree.Content", tree.root.contents[0], "<!--one-->"),
            PrintedSample(
                "DecodedImage",
                DecodedImage("image/png", width: 10, height: 20, encoded: Data("hush".utf8)),
                "image/png, 10 × 20 pixels"),
            PrintedSample(
                "DecodedImage.Frame",
                DecodedImage.Frame(pixelFormat: .rgba8, rowBytes: 40, pixels: Data(count: 800), delay: nil),
                "rgba8, 800 bytes"),
            PrintedSample("XMLParserSource", source, "an XML parser over 62 bytes"),
        ]
    }
}
