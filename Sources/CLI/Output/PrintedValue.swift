import Patchbay
import PatchbayPlatform
import PatchbayTools

/// The printed form of any serializer's value: as JSON, or as text for a person.
struct PrintedValue {
    let value: any Sendable

    init(_ value: any Sendable) { self.value = value }

    var type: String { String(describing: Swift.type(of: value)) }

    /// The value as JSON: bytes as `{"base64": …}`, text and JSON unchanged, trees as objects, other values as a
    /// description.
    var json: JSON {
        switch value {
        case let json as JSON: json
        case let text as String: JSON(text)
        case let problem as Problem: Self.json(problem)
        case let list as PropertyList: Self.json(list)
        case let tree as XMLTree: Self.json(tree.root)
        case let row as CSVRow: Self.json(row)
        case let part as ResponsePart: Self.json(part)
        case let event as ServerSentEvent: Self.json(event)
        case let fields as FormFields: .array(fields.map { ["name": JSON($0.name), "value": JSON($0.value)] })
        case let body as ResponseBody: Self.json(body.data)
        case let data as Data: Self.json(data)
        case let image as DecodedImage: Self.json(image)
        case is Void: .null
        case let list as [JSON]: .array(list)
        case let list as [CSVRow]: .array(list.map(Self.json))
        case let list as [ServerSentEvent]: .array(list.map(Self.json))
        case let list as [ResponsePart]: .array(list.map(Self.json))
        default: JSON(String(describing: value))
        }
    }

    /// The value as text: text and XML unchanged, other values as JSON on several lines.
    var text: String {
        switch value {
        case let text as String: text
        case let tree as XMLTree: tree.description
        default: json.serialized(pretty: true)
        }
    }

    private static func json(_ data: Data) -> JSON { ["base64": JSON(data.base64EncodedString())] }
}

/// Trees, as JSON.
extension PrintedValue {
    /// The members of RFC 9457 that the problem has, and then its extensions.
    static func json(_ problem: Problem) -> JSON {
        let members: [(String, JSON?)] = [
            ("type", JSON(problem.type)), ("title", problem.title.map { JSON($0) }),
            ("status", problem.status.map { JSON($0) }), ("detail", problem.detail.map { JSON($0) }),
            ("instance", problem.instance.map { JSON($0) }),
        ]
        return .object(ifAny: members + (problem.extensions.object ?? []).map { ($0.key, $0.value) })
    }

    /// Dictionaries are sorted by key; dates are in ISO 8601; data is `{"base64": …}`; infinity and NaN are text. The
    /// serializer has limited the depth.
    static func json(_ list: PropertyList) -> JSON {
        switch list {
        case .string(let text): JSON(text)
        case .integer(let number): JSON(number)
        case .unsigned(let number): JSON(number)
        case .real(let number): number.isFinite ? JSON(number) : JSON("\(number)")
        case .bool(let flag): JSON(flag)
        case .date: JSON(list.description)
        case .data(let data): json(data)
        case .array(let elements): .array(elements.map(json))
        case .dictionary(let members): .object(members.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
        }
    }

    /// `name`, `attributes` and `contents`: text as strings, elements as objects. Elements deeper than 256 levels are
    /// XML text.
    static func json(_ element: XMLTree.Element, depth: Int = 0) -> JSON {
        guard depth < 256 else { return JSON(element.description) }
        return [
            "name": JSON(element.name),
            "attributes": .object(element.attributes.map { ($0.name, JSON($0.value)) }),
            "contents": .array(
                element.contents.map { content in
                    switch content {
                    case .element(let child): json(child, depth: depth + 1)
                    case .text(let text), .cdata(let text): JSON(text)
                    case .comment(let text): ["comment": JSON(text)]
                    case .processingInstruction(let target, let data): ["target": JSON(target), "data": JSON(data)]
                    }
                }),
        ]
    }

    /// An object with the names of the columns, each once; an array if there is no header row.
    static func json(_ row: CSVRow) -> JSON {
        guard let names = row.names else { return .list(row) }
        return .object(zip(names, row).once { $0.0 }.map { ($0, JSON($1)) })
    }

    /// The data as text, with the type and the id of the event.
    static func json(_ event: ServerSentEvent) -> JSON {
        ["type": JSON(event.type), "data": JSON(event.data), "lastEventID": JSON(event.lastEventID)]
    }

    static func json(_ part: ResponsePart) -> JSON {
        [
            "fields": .array(part.fields.map { ["name": JSON($0.name), "value": JSON($0.value)] }),
            "body": json(part.body.data),
        ]
    }

    /// The format, the pixels and the size of an image: `image/png, 640 × 480 pixels, 12,345 bytes`.
    static func text(_ image: DecodedImage, bytes: Int?) -> String {
        let frames = image.frameCount > 1 ? ["\(image.frameCount) frames"] : []
        let size = bytes.map { ["\(ByteCount($0))"] } ?? []
        return ([image.mediaType.essence, "\(image.width) × \(image.height) pixels"] + frames + size)
            .joined(separator: ", ")
    }

    /// The properties of the image, without its pixels.
    static func json(_ image: DecodedImage) -> JSON {
        [
            "mediaType": JSON(image.mediaType.essence), "width": JSON(image.width), "height": JSON(image.height),
            "orientation": JSON(image.orientation), "frames": JSON(image.frameCount),
        ]
    }
}

struct Printer: Sendable {
    var console: Console
    let format: CommonOptions.Format
    let explains: Bool

    init(_ console: Console, _ options: CommonOptions) {
        (self.console, format, explains) = (console, options.format, options.explains)
    }

    /// The same printer, whose standard output is a device.
    func writing(to device: String) throws(CommandFailure) -> Printer {
        try OutputFile.takeAsStandardOutput(device)
        var printer = self
        printer.console = Console(isTerminal: false)
        printer.console.outputName = device
        return printer
    }

    func print(_ document: JSON) throws(CommandFailure) {
        try console.print(document.serialized(pretty: true), Highlighted.json)
    }

    /// Prints a table, which fits the terminal.
    func print(_ table: TextTable) throws(CommandFailure) {
        let style: (String) -> String = console.isColoured ? { Colour.bold.around($0) } : { $0 }
        try console.print(styled: table.fitted(to: console.width, heading: style) + "\n")
    }

    /// Prints the report as JSON, or its value as text: text and bytes unchanged, nothing for an empty body.
    func print(_ report: Report, _ value: (any Sendable)?) throws(CommandFailure) {
        guard format == .text else { return try print(report.json) }
        switch value {
        case nil, is Void: return
        case let body as ResponseBody: try console.print(raw: Array(body.data))
        case let text as String: try console.print(asItCame: text)
        case let image as DecodedImage:
            // A file or a program wants the image; a person wants to know it.
            if !console.isTerminal, let body = report.body { return try console.print(raw: Array(body.data)) }
            try console.print(PrintedValue.text(image, bytes: report.body?.data.count))
        case let tree as XMLTree: try console.print(PrintedValue(tree).text, Highlighted.xml)
        case let value?: try console.print(PrintedValue(value).text, Highlighted.json)
        }
    }

    /// Prints the head of a response on standard output, and an empty line unless it is `isAlone`.
    func print(_ head: ResponseHead, _ version: String?, isAlone: Bool) throws(CommandFailure) {
        let lines = HeadText(isColoured: console.isColoured, showsSecrets: true).lines(head, version)
        try console.print(styled: lines.joined(separator: "\n") + (isAlone ? "\n" : "\n\n"))
    }

    /// Prints one element of a stream: as a line of JSON, or as text, with pieces of bytes unchanged.
    func print(element: any Sendable) throws(CommandFailure) {
        switch element {
        case let data as Data where format == .text: try console.print(raw: Array(data))
        case let text as String where format == .text: try console.print(text)
        default: try console.print(PrintedValue(element).json.serialized(), Highlighted.json)
        }
    }

    func explain(_ decision: Decision?) { if explains, let decision { console.note(decision.description) } }
}
