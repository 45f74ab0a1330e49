import Foundation
import ImagePeer
import Patchbay
import PatchbayPlugins

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The other formats, each beside the library that Patchbay's serializer stands on, called directly.
struct FormatRows {
    private let stopwatch: Stopwatch

    init(_ stopwatch: Stopwatch) { self.stopwatch = stopwatch }

    func rows() async throws -> [Row] {
        try await xml() + propertyList(.xml, "XML") + propertyList(.binary, "binary") + text() + csv() + images()
    }

    /// `XMLDocument` is a tree of libxml2's, of which Swift objects are made when they are asked for; `XMLTree` has its bytes, of
    /// which strings are. The tree by a delegate has all its strings at once.
    private func xml() async throws -> [Row] {
        var noise = Noise(seed: 4)
        let items = (0..<6_000).map { index in
            """
            <item id="\(index)" kind="k\(noise.number(0...9))"><name>\(noise.number(0...1 << 40)) &amp; more</name>\
            <price currency="EUR">\(noise.number(1...9999)).50</price><note>Grüße aus der Ferne</note></item>
            """
        }
        let data = Data("<?xml version=\"1.0\"?>\n<items>\(items.joined(separator: "\n"))</items>".utf8)
        let body = ResponseBody(data)
        let serializer = XMLDocumentSerializer()
        let head = head("application/xml")
        return try await stopwatch.rows(
            Contest(
                row: "XML tree", unit: .megabytesPerSecond(data.count),
                ours: { times in for _ in 0..<times { keep(try serializer.serialize(body, head)) } },
                peers: [
                    .init(name: "FoundationXML's XMLDocument", goal: 0.9) { times in
                        for _ in 0..<times { keep(try XMLDocument(data: data)) }
                    },
                    .init(name: "FoundationXML's XMLParser, a tree by its delegate", goal: 0.9) { times in
                        for _ in 0..<times {
                            let builder = PlainTreeBuilder()
                            let parser = XMLParser(data: data)
                            parser.delegate = builder
                            guard parser.parse(), builder.root != nil else { throw WorkFailure("XMLParser failed") }
                        }
                    },
                ]))
    }

    private func propertyList(_ format: PropertyListSerialization.PropertyListFormat, _ name: String) async throws
        -> [Row]
    {
        var noise = Noise(seed: 5)
        let items: [[String: Any]] = (0..<5_000).map { index in
            [
                "id": index, "name": "item \(noise.number(0...1 << 40))", "price": Double(noise.number(0...999)) / 4,
                "isNew": noise.isTrue(), "date": Date(timeIntervalSince1970: Double(index)),
                "bytes": Data([1, 2, 3]), "tags": ["first", "second", "naïve"],
            ]
        }
        let data = try PropertyListSerialization.data(fromPropertyList: ["items": items], format: format, options: 0)
        let body = ResponseBody(data)
        let serializer = PropertyListSerializer()
        let head = head("application/x-plist")
        return try await stopwatch.rows(
            Contest(
                row: "property list, \(name)", unit: .megabytesPerSecond(data.count),
                ours: { times in for _ in 0..<times { keep(try serializer.serialize(body, head)) } },
                peers: [
                    .init(name: "PropertyListSerialization", goal: 0.9) { times in
                        for _ in 0..<times {
                            keep(try PropertyListSerialization.propertyList(from: data, options: [], format: nil))
                        }
                    }
                ]))
    }

    /// Rows as they come in pieces of a network, every field taken as a string. Nothing that comes with Swift reads CSV; `split` knows no
    /// quotes, and so has a table without any.
    private func csv() async throws -> [Row] {
        var noise = Noise(seed: 6)
        let lines = (0..<100_000).map { "\($0),Ada Lovelace,London,\(noise.number(1...9999)).50,a short note" }
        let text = "id,name,city,amount,note\n" + lines.joined(separator: "\n") + "\n"
        let bytes = Array(text.utf8)
        let serializer = CSVRowsSerializer()
        let head = head("text/csv")
        return try await stopwatch.rows(
            Contest(
                row: "CSV rows, every field taken", unit: .megabytesPerSecond(bytes.count),
                ours: { times in
                    for _ in 0..<times {
                        var parser = serializer.makeParser(head, maximumElementBytes: 1 << 20)
                        for start in stride(from: 0, to: bytes.count, by: 16_384) {
                            let piece = bytes.span.extracting(start..<min(start + 16_384, bytes.count))
                            try parser.parse(piece) { row in for field in row { keep(field) } }
                        }
                        try parser.finish { _ in }
                    }
                },
                peers: [
                    .init(name: "String.split at line feeds and commas", goal: 1) { times in
                        for _ in 0..<times {
                            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                                for field in line.split(separator: ",", omittingEmptySubsequences: false) {
                                    keep(String(field))
                                }
                            }
                        }
                    }
                ]))
    }

    private func text() async throws -> [Row] {
        var noise = Noise(seed: 6)
        let utf8 = Data(noise.text(words: 150_000).utf8)
        let ascii = Data(String(repeating: "The quick brown fox jumps over the lazy dog.\n", count: 25_000).utf8)
        let japanese = String(repeating: "日本語の文章はこのように続きます。ASCII too.\n", count: 20_000)
        guard let shiftJIS = japanese.data(using: .shiftJIS) else { throw WorkFailure("there is no Shift_JIS") }
        let serializer = TextSerializer()
        var rows: [Row] = []
        for (name, data, charset) in [("ASCII", ascii, "utf-8"), ("UTF-8", utf8, "utf-8")] {
            let (body, head) = (ResponseBody(data), head("text/plain; charset=\(charset)"))
            rows += try await stopwatch.rows(
                Contest(
                    row: "text, \(name)", unit: .megabytesPerSecond(data.count),
                    ours: { times in for _ in 0..<times { keep(try serializer.serialize(body, head)) } },
                    peers: [
                        .init(name: "String(validating:as:)", goal: 0.9) { times in
                            for _ in 0..<times { keep(String(validating: data, as: UTF8.self)) }
                        }
                    ]))
        }
        let german = String(repeating: "Falsches Üben von Xylophonmusik quält jeden größeren Zwerg.\n", count: 15_000)
        guard let latin = german.data(using: .windowsCP1252) else { throw WorkFailure("there is no windows-1252") }
        for (name, data, charset) in [("Shift_JIS", shiftJIS, "CP932"), ("windows-1252", latin, "CP1252")] {
            let (body, head) = (ResponseBody(data), head("text/plain; charset=\(name)"))
            rows += try await stopwatch.rows(
                Contest(
                    row: "text, \(name)", unit: .megabytesPerSecond(data.count),
                    ours: { times in for _ in 0..<times { keep(try serializer.serialize(body, head)) } },
                    peers: [
                        .init(name: "iconv", goal: 0.9) { times in
                            for _ in 0..<times { keep(try Iconv.string(data, from: charset)) }
                        }
                    ]))
        }
        return rows
    }

    private func images() async throws -> [Row] {
        var rows: [Row] = []
        for format in ["png", "jpeg"] {
            var count = 0
            guard let bytes = image_peer_make(format, 1_024, &count) else { throw WorkFailure("no image was made") }
            defer { free(bytes) }
            let (body, head) = (ResponseBody(Data(bytes: bytes, count: count)), head("image/\(format)"))
            let serializer = ImageSerializer()
            rows += try await stopwatch.rows(
                Contest(
                    row: "image, \(format), 1,024 × 1,024", unit: .milliseconds,
                    ours: { times in for _ in 0..<times { keep(try serializer.serialize(body, head)) } },
                    peers: [
                        .init(name: "gdk-pixbuf in C", goal: 0.9) { times in
                            guard image_peer_decode(bytes, count, times) == 0 else {
                                throw WorkFailure("gdk-pixbuf failed")
                            }
                        }
                    ]))
        }
        return rows
    }

    private func head(_ type: String) -> ResponseHead {
        let url = URL(fileURLWithPath: "/")
        return ResponseHead(status: 200, fields: ["Content-Type": type], url: url, request: RequestHead(url: url))
    }
}
