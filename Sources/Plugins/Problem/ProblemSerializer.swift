public import PatchbayJSON
package import PatchbayRegistry

/// Reads problem details (RFC 9457, `application/problem+json`), and decodes any `Decodable` from them.
package struct ProblemSerializer: DecodingSerializer, NeverDecliningSerializer {
    package var json = JSONSerializer()

    /// - Throws: `FormatFailure`.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Problem {
        let value = try json.serialize(body, head)
        guard value.kind == .object else { throw FormatFailure.noProblem }
        return Problem(value)
    }

    package func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try json.decode(type, from: body, head)
    }
}

extension FormatFailure {
    /// The JSON of a problem is not an object.
    static var noProblem: FormatFailure {
        let reason = "problem details are a JSON object, and this is none"
        return FormatFailure("problem", .wrongFormat, reason, sentence: reason)
    }
}

/// A problem, as an HTTP API describes it (RFC 9457).
public struct Problem: Sendable, Hashable {
    /// A URI reference that names the kind of problem; `about:blank` adds nothing to the status.
    public let type: String
    /// A short summary of the kind of problem.
    public let title: String?
    /// The status that the origin server sent; an intermediary can have changed the actual status since.
    public let status: Int?
    /// An explanation of this occurrence.
    public let detail: String?
    /// A URI reference that names this occurrence.
    public let instance: String?
    /// The members that RFC 9457 does not define, as an object.
    public let extensions: JSON

    /// Reads the members of an object. A member of the wrong type is ignored (RFC 9457, section 3.1). If the JSON is
    /// not an object, all members are ignored.
    public init(_ json: JSON) {
        type = json["type"]?.string ?? "about:blank"
        title = json["title"]?.string
        status = json["status"]?.int.flatMap { (100...599).contains($0) ? $0 : nil }
        detail = json["detail"]?.string
        instance = json["instance"]?.string
        let standard: Set = ["type", "title", "status", "detail", "instance"]
        extensions = .object(
            (json.object ?? []).filter { !standard.contains($0.key) }.map { ($0.key, $0.value) })
    }
}

extension Problem: Decodable {
    /// - Throws: `FormatFailure` if the JSON is not an object.
    public init(from decoder: any Decoder) throws {
        let json = try JSON(from: decoder)
        guard json.kind == .object else { throw FormatFailure.noProblem }
        self.init(json)
    }
}

extension Problem: CustomStringConvertible {
    /// The title or else the type, followed by the detail if there is one.
    public var description: String {
        let summary = title ?? type
        return detail.map { "\(summary): \($0)" } ?? summary
    }
}
