/// A text from outside the library in one line: each control character becomes a space.
package struct Printed {
    package let text: String

    /// The first line of the text.
    /// - Parameter limit: the maximum number of Unicode scalars that are shown; an ellipsis replaces all further
    ///   scalars.
    package init(_ text: String, limit: Int) {
        self.init(allLinesOf: String(text.prefix { !$0.isNewline }), limit: limit)
    }

    /// All lines of the text, joined to one.
    /// - Parameter limit: the maximum number of Unicode scalars that are shown; an ellipsis replaces all further
    ///   scalars.
    package init(allLinesOf text: String, limit: Int = .max) {
        var line = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else {
                line += "…"
                break
            }
            line.unicodeScalars.append(Self.isControl(scalar) ? " " : scalar)
        }
        self.text = line
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension Mirror {
    /// The mirror of a value whose description contains everything that `dump` and debuggers are allowed to show.
    package init(described value: some CustomStringConvertible) { self.init(value, children: [:]) }
}
