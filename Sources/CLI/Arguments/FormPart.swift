import Patchbay

/// One part of a form of parts: `NAME=TEXT`, or `NAME=@FILE` with `;type=TYPE` and `;filename=NAME` after it. A file, a
/// type and a name may be in double quotes, as curl takes them.
struct FormPart: Equatable, Sendable {
    let name: String
    let text: String
    /// The path of the file that is the content, instead of `text`.
    let file: String?
    var fileName: String?
    var type: MediaType?

    /// - Parameters:
    ///   - number: the number of the part, for errors: the text of a part can be secret.
    ///   - isText: whether an `@` has no meaning, as in `--form-string`.
    init(_ text: String, number: Int, isText: Bool = false) throws(UsageError) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            let needed = isText ? "--form-string needs NAME=TEXT" : "-F needs NAME=TEXT or NAME=@FILE"
            throw UsageError("\(needed), and part \(number) has no name before a '='")
        }
        name = String(text[..<equals])
        let value = text[text.index(after: equals)...]
        guard value.hasPrefix("@"), !isText else {
            (self.text, file) = (String(value), nil)
            return
        }
        var rest = value.dropFirst()
        self.text = ""
        file = Self.word(&rest)
        while let key = rest.prefixMatch(of: /;(type|filename)=/) {
            rest = rest[key.range.upperBound...]
            let written = Self.word(&rest)
            guard key.1 == "type" else {
                fileName = written
                continue
            }
            guard let type = MediaType(parsing: written) else {
                throw UsageError("-F: '\(written)', the type of part \(number), is not a media type")
            }
            self.type = type
        }
        guard rest.isEmpty else {
            throw UsageError(
                "-F: ';\(rest.dropFirst().prefix { $0 != ";" })' after the file of part \(number) is unknown; known are "
                    + ";type= and ;filename=, and a file whose name has a ; is written @\"NAME\"")
        }
    }

    /// Takes a text in double quotes, in which `\"` and `\\` are a quote and a backslash; else all before a semicolon.
    private static func word(_ rest: inout Substring) -> String {
        guard let word = rest.prefixMatch(of: /(?s)"((?:[^"\\]|\\.)*)"(?=;|\z)|[^;]*/) else { return "" }
        rest = rest[word.range.upperBound...]
        return word.1.map { $0.replacing(/\\(["\\])/) { String($0.1) } }.map(String.init) ?? String(word.0)
    }
}
