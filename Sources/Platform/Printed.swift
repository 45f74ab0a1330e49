/// A foreign text in one line: control characters become spaces.
package struct Printed {
    package let text: String

    /// Only the first line.
    /// - Parameter limit: how many Unicode scalars are shown; the rest becomes an ellipsis.
    package init(_ text: String, limit: Int) {
        self.init(allLinesOf: String(text.prefix { !$0.isNewline }), limit: limit)
    }

    /// All lines, joined to one.
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
    /// The mirror of a value whose description has everything that `dump` and debuggers may show.
    package init(described value: some CustomStringConvertible) { self.init(value, children: [:]) }
}
