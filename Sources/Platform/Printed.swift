/// A text from outside the library in one line: each invisible character becomes a space.
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
            line.unicodeScalars.append(scalar.isInvisible ? " " : scalar)
        }
        self.text = line
    }
}

extension Unicode.Scalar {
    /// Whether the scalar has no glyph, or changes how the text around it is shown: controls, line ends, marks of
    /// direction, joiners, tags. A variation selector belongs to the character before it.
    package var isInvisible: Bool {
        guard value >= 0x80 else { return value < 0x20 || value == 0x7F }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // Interlinear annotations are not ignorable.
        case .format where (0xFFF9...0xFFFB).contains(value): return true
        default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }
}

extension Mirror {
    /// The mirror of a value whose description contains everything that `dump` and debuggers are allowed to show.
    package init(described value: some CustomStringConvertible) { self.init(value, children: [:]) }
}
