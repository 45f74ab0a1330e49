import PatchbayPlatform
import PatchbayRegistry

/// A request as a command line of curl, one option a line, fit to be pasted into a shell.
struct CurlCommand {
    let method: String
    let url: String
    let fields: HeaderFields
    let body: RequestBody?
    /// The text that is shown instead of a body that is not written yet.
    var placeholder: String?
    var maskedPathSegments: Set<String> = []

    /// - Parameter includingBody: whether to show the body, which can contain secrets. If false, only its length is
    ///   shown.
    func text(includingBody: Bool) -> String {
        var lines = ["$ curl -v"]
        // With `-X HEAD` curl would wait for a body.
        lines.append(method == "HEAD" ? "-I" : "-X \(Self.quoted(method))")
        lines += fields.map { "-H \(Self.quoted("\($0.name): \(Redaction.masked($0))"))" }
        if let placeholder, body == nil { lines.append("--data-raw \(Self.quoted(placeholder))") }
        if let body { lines.append("--data-raw \(Self.quoted(Self.text(body, includingBody)))") }
        lines.append(Self.quoted(Redaction.masked(url, named: maskedPathSegments)))
        return lines.joined(separator: " \\\n\t")
    }

    private static func text(_ body: RequestBody, _ includingBody: Bool) -> String {
        guard let length = body.length else { return "<a stream>" }
        guard includingBody, let data = body.data, let text = String(validating: data, as: UTF8.self) else {
            return "<\(ByteCount(length))>"
        }
        return text
    }

    /// Returns the text as one word of the shell. Control and format characters, which can move the cursor or reverse
    /// text, are escaped.
    private static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        guard text.unicodeScalars.contains(where: \.isInvisible) else {
            return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        }
        return text.unicodeScalars.reduce(into: "$'") { $0 += escaped($1) } + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: false
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        if scalar == "'" || scalar == "\\" { return "\\" + String(scalar) }
        guard scalar.isInvisible else { return String(scalar) }
        let digits = String(scalar.value, radix: 16)
        return #"\U"# + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
