import Patchbay

/// One case of a test of a table: a value in the body of a request, the expected entry, and the expected bytes.
struct WritingCase: Equatable, Sendable {
    var name: String
    var host: String?
    /// The value; with `inElements` an array whose elements are written one by one.
    var write: JSON
    var inElements = false
    /// Nil for `requestContentType` of the host's policy.
    var contentType: String?
    /// The entry that writes the value; nil for none.
    var entry: String?
    /// A text, or `{"base64": …}`; nil compares the entry only, and writes nothing.
    var bytes: JSON?

    static let keys = ["name", "host", "write", "elements", "contentType", "entry", "bytes"]

    var json: JSON {
        .object(ifAny: [
            ("name", JSON(name)), ("host", host.map { JSON($0) }), ("write", write),
            ("elements", inElements ? JSON(true) : JSON?.none), ("contentType", contentType.map { JSON($0) }),
            ("entry", JSON(orNull: entry)), ("bytes", bytes),
        ])
    }
}

struct PlacedCase {
    let file: String
    /// The line at which the case begins, from 1.
    let line: Int?
    let testCase: FileCase

    /// `cases.json:7`
    var place: String { ManifestFailure.Issue.place(file, line) }
}

enum FileCase: Equatable, Sendable {
    case response(TableCase)
    case request(WritingCase)

    var name: String {
        switch self {
        case .response(let response): response.name
        case .request(let request): request.name
        }
    }

    var json: JSON {
        switch self {
        case .response(let response): response.json
        case .request(let request): request.json
        }
    }
}
