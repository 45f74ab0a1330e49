/// Someone's words in one line: control characters become blanks.
package struct Printed {
    package let text: String

    /// The first line.
    /// - Parameter limit: how many Unicode scalars are shown; the rest becomes an ellipsis.
    package init(_ text: String, limit: Int) {
        self.init(allLinesOf: String(text.prefix { !$0.isNewline }), limit: limit)
    }

    /// All lines, one behind the other.
    /// - Parameter limit: how many Unicode scalars are shown.
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
    /// What `dump` and debuggers show of a value that says of itself all that may be shown.
    package init(described value: some CustomStringConvertible) { self.init(value, children: [:]) }
}
