/// Text on one line, whatever is in it: a space for each scalar that breaks lines, moves a cursor or turns the direction.
struct SingleLine: CustomStringConvertible {
    let description: String

    /// - Parameter limit: after so many scalars the text is cut.
    init(_ text: String, limit: Int = .max) {
        var line = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else {
                line.append("…")
                break
            }
            line.append(Self.isControl(scalar) ? " " : scalar)
            count += 1
        }
        description = String(line)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
