import Patchbay
import PatchbayPlatform

/// How a value of any serializer is shown: as JSON, or as text for a person.
struct PrintedValue {
    let value: any Sendable

    init(_ value: any Sendable) { self.value = value }

    /// The type as Swift names it.
    var type: String { String(describing: Swift.type(of: value)) }

    /// The value as JSON: bytes as `{"base64": …}`, text and JSON as they are, trees as objects, else a description.
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
        case is EmptyValue: .null
        default: JSON(String(describing: value))
        }
    }

    /// The value as text: text and XML as they are, anything else as JSON on several lines.
    var text: String {
        switch value {
        case let text as String: text
        case let tree as XMLTree: tree.description
        default: json.serialized(pretty: true)
        }
    }

    private static func json(_ data: Data) -> JSON { ["base64": JSON(data.base64EncodedString())] }
}
