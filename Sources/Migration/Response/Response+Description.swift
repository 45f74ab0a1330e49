import PatchbayManager
import PatchbayRegistry

extension Response: CustomStringConvertible {
    /// One line: method, host, path, status and outcome, without header values, bytes or the query.
    public var description: String {
        let asked = asked ?? "no request"
        let status = head.map { " (\($0.status))" } ?? ""
        switch result {
        case .success(let value): return "\(asked)\(status): \(type(of: value as Any))"
        case .failure(let error as SessionError): return "\(asked)\(status): \(error.reason)"
        case .failure(let error): return "\(asked)\(status): \(FailureReason.name(of: error))"
        }
    }
}

extension Response: CustomDebugStringConvertible {
    public var debugDescription: String { debugDescription(includingBody: false) }

    /// Several lines: the request, the response, the names of their fields, the body's size, the timeline and the
    /// result.
    ///
    /// - Parameter includingBody: whether the body is shown, if its media type is text, JSON or XML and it has at most
    ///   100,000 bytes. Values of header fields are never shown.
    public func debugDescription(includingBody: Bool) -> String {
        var lines = ["[Request]: " + (asked ?? "none")]
        if let request { lines.append("    [Fields]: \(Self.names(request.fields))") }
        lines.append("[Response]: " + (head.map { "\($0.status) \($0.mediaType?.essence ?? "no type")" } ?? "none"))
        if let head { lines.append("    [Fields]: \(Self.names(head.fields))") }
        if let body {
            lines.append("    [Body]: \(body.count) bytes")
            if includingBody, isShown(body) { lines.append(String(decoding: body.data, as: UTF8.self)) }
        }
        if let timeline { lines.append("[Timeline]: \(timeline)") }
        lines.append("[Result]: \(self)")
        return lines.joined(separator: "\n")
    }

    private var asked: String? { request.map { "\($0.method) \($0.place ?? "-")" } }

    private func isShown(_ body: ResponseBody) -> Bool {
        guard body.count <= 100_000, let essence = head?.mediaType?.essence else { return false }
        return ["json", "xml", "text"].contains { essence.contains($0) }
    }

    private static func names(_ fields: HeaderFields) -> String { fields.map(\.name).joined(separator: ", ") }
}

extension Response: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "request": request as Any, "head": head as Any, "body": body as Any, "timeline": timeline as Any,
            ],
            displayStyle: .struct)
    }
}
