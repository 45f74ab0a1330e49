import PatchbayRegistry

/// A target with names in braces, and their values: a template of RFC 6570, level 1. All but the unreserved characters of
/// a value are percent-encoded (RFC 3986, section 2.3), so it cannot add a segment, a query, a host or a scheme.
/// A class, so that a copy of a request copies one reference. Its fault is thrown when the request is sent.
final class TargetTemplate: Sendable {
    typealias Values = [String: any CustomStringConvertible & Sendable]

    /// The template as the caller wrote it.
    let text: String
    /// The template with its values; without them if there is a fault.
    let target: String
    /// The end of a sentence. It never shows a value, because a value can be a secret.
    private let fault: String?

    init(_ text: String, _ values: Values) {
        self.text = text
        do throws(Refusal) {
            (target, fault) = (try Self.target(text, values), nil)
        } catch {
            (target, fault) = (text, error.reason)
        }
    }

    /// - Throws: `Refusal` if the template or a value has a fault.
    func check(masking: Set<String>) throws(Refusal) {
        guard let fault else { return }
        throw Refusal("the template \(Redaction.quoted(text, named: masking)) \(fault)")
    }

    /// Reads bytes, because a brace with a combining mark is another `Character`.
    private static func target(_ text: String, _ values: Values) throws(Refusal) -> String {
        // A colon in the first segment of a path would end a scheme.
        let path =
            RequestTarget.endOfAuthority(in: text)
            ?? text.utf8.prefix { !RequestTarget.endsAuthority($0) }.lastIndex(of: UInt8(ascii: ":")) ?? text.startIndex
        var (rest, target, unused) = (text[...].utf8, "", Set(values.keys))
        while let mark = rest.firstIndex(where: { "{}%".utf8.contains($0) }) {
            target += Substring(rest[..<mark])
            let place = { "at character \(text[..<mark].unicodeScalars.count + 1)" }
            let sign = rest[mark]
            rest = rest[mark...].dropFirst()
            guard sign != UInt8(ascii: "}") else { throw Refusal("has a stray } \(place())") }
            guard sign != UInt8(ascii: "%") else {
                // A value behind it could become the digits of an escape.
                guard rest.prefix(2).filter(\.isHexDigit).count == 2 else {
                    throw Refusal("has a % \(place()) that begins no escape: write %25")
                }
                target += "%"
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                throw Refusal("has an unclosed { \(place())")
            }
            let name = String(Substring(rest[..<end]))
            guard isName(name) else {
                throw Refusal(
                    "has no name in the braces \(place()): a name has letters, digits, _ and ., and no operator")
            }
            let variable = { "{\(Redaction.name(name))} \(place())" }
            guard mark >= path else {
                throw Refusal("has \(variable()), before its path: a value cannot be a part of a scheme or of a host")
            }
            guard let value = values[name]?.description else { throw Refusal("has no value for \(variable())") }
            guard !["", ".", ".."].contains(value) else {
                throw Refusal("has an empty value, . or .. for \(variable())")
            }
            target += FormEscape.unreserved(value)
            unused.remove(name)
            rest = rest[end...].dropFirst()
        }
        if let name = unused.min() { throw Refusal("has no {\(Redaction.name(name))} for a value in path:") }
        return target + Substring(rest)
    }

    /// RFC 6570, section 2.3.
    private static func isName(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy { FieldByte.isLetterOrDigit($0) || "_%".utf8.contains($0) }
        }
    }
}
