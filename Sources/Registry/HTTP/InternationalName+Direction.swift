// Checks whether the directions of the letters of a name are allowed together (RFC 5893, section 2).
//
// The classes of characters are those of Unicode (UAX 9), as far as the rule needs them. The direction of symbols of
// other scripts is unknown here: each check assumes the direction with the stricter result.
extension InternationalName {
    private enum Class {
        case left, right, arabicNumber, europeanNumber, mark, neutral, symbol
    }

    /// The first character that breaks the rule; nil if no character does, or if no label has right-to-left letters.
    static func misdirected(in labels: [[Unicode.Scalar]]) -> Unicode.Scalar? {
        let runsBack = labels.contains { label in
            label.contains { scalar in
                guard scalar.value >= firstBackward else { return false }
                let kind = kind(of: scalar)
                return kind == .right || kind == .arabicNumber
            }
        }
        return runsBack ? labels.lazy.compactMap { fault(inside: $0) }.first : nil
    }

    private static func fault(inside label: [Unicode.Scalar]) -> Unicode.Scalar? {
        guard let first = label.first else { return nil }
        let last = label.last { kind(of: $0) != .mark } ?? first
        switch kind(of: first) {
        case .left:
            return label.first { [.right, .arabicNumber].contains(kind(of: $0)) }
                ?? ([.left, .europeanNumber].contains(kind(of: last)) ? nil : last)
        case .right:
            let digits = label.first { [.arabicNumber, .europeanNumber].contains(kind(of: $0)) }.map(kind)
            let others: Class = digits == .europeanNumber ? .arabicNumber : .europeanNumber
            return label.first { scalar in
                let kind = kind(of: scalar)
                return kind == .left || kind == .symbol || (digits != nil && kind == others)
            } ?? ([.right, .arabicNumber, .europeanNumber].contains(kind(of: last)) ? nil : last)
        default: return first
        }
    }

    private static let firstBackward: UInt32 = 0x590

    private static func kind(of scalar: Unicode.Scalar) -> Class {
        switch scalar.value {
        case 0x30...0x39, 0x6F0...0x6F9, 0x102E1...0x102FB: return .europeanNumber
        case 0x61...0x7A: return .left
        case 0..<0x80: return .neutral
        case 0x660...0x669, 0x66B...0x66C, 0x10D30...0x10D39, 0x10E60...0x10E7E: return .arabicNumber
        // Left-to-right marks.
        case 0xCBF, 0xCC6, 0x11A07...0x11A08, 0x11C3F: return .left
        default: break
        }
        let category = scalar.properties.generalCategory
        if category == .nonspacingMark || category == .enclosingMark { return .mark }
        switch scalar.value {
        // Characters without a direction in right-to-left scripts.
        case 0x606...0x607, 0x609...0x60A, 0x60C, 0x60E...0x60F, 0x66A, 0x6DE, 0x6E9, 0x7F6...0x7F9, 0xFD3E...0xFD4F,
            0xFDCF, 0xFDFD...0xFDFF, 0x1091F, 0x10B39...0x10B3F, 0x10D6E, 0x1EEF0...0x1EEF1:
            return .neutral
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: return .right
        // Letters and numbers without a direction.
        case 0x2B9...0x2BA, 0x2C6...0x2CF, 0x2EC, 0x2E2F, 0xA67F, 0xA717...0xA71F, 0xA788, 0x10140...0x10174:
            return .symbol
        default: break
        }
        switch category {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark,
            .decimalNumber, .letterNumber:
            return .left
        default: return .symbol
        }
    }
}
