import PatchbayPlatform

/// A character for which a name beyond ASCII has no canonical form.
package struct HostFault: Sendable {
    package enum Reason: Sendable {
        /// It becomes another one, or nothing, by tables that are not here, or depends on its neighbours.
        case unmapped
        /// No name has it, and none that is mapped to it.
        case forbidden
        /// It breaks the rules for names from right to left.
        case direction
    }

    let scalar: Unicode.Scalar
    package let reason: Reason

    /// `U+FB03`
    package var number: String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }
}

/// Reads names beyond ASCII.
///
/// This is the part of UTS 46 that needs no large tables of its own: full stops and ASCII of full width become ASCII, letters become lower
/// case, what belongs together is composed (NFC), and a label beyond ASCII becomes its `xn--` form; one that has it already is
/// decoded and has to be of these letters. What has no form that a URL would reach is no name: ligatures and whatever else only
/// tables map, joiners and other characters that are not seen, a mark at the start of a label, and labels whose letters run in
/// both directions.
enum InternationalName {
    /// Why there is none; without a character where that is not about one.
    struct Fault: Error {
        let character: HostFault?

        init() { character = nil }
        init(_ scalar: Unicode.Scalar, _ reason: HostFault.Reason) {
            character = HostFault(scalar: scalar, reason: reason)
        }
    }

    /// The labels in canonical form, empty ones too.
    static func labels(of host: String) throws(Fault) -> [String] {
        var labels: [[Unicode.Scalar]] = []
        for label in host.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: isFullStop) {
            labels.append(try scalars(of: label))
        }
        if let scalar = NameDirection.fault(in: labels) { throw Fault(scalar, .direction) }
        var names: [String] = []
        for label in labels { names.append(try written(label)) }
        return names
    }

    private static func isFullStop(_ scalar: Unicode.Scalar) -> Bool {
        [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar)
    }

    // MARK: Labels

    /// A label as it is read: mapped and composed, or what its `xn--` form says.
    private static func scalars(of label: Substring.UnicodeScalarView) throws(Fault) -> [Unicode.Scalar] {
        // Composing takes time with the square of the marks on one letter. It makes one scalar of four at most, since no character
        // has a longer canonical decomposition, and mapping removes none: what is longer here is longer than a label in the end.
        let isASCII = label.allSatisfy(\.isASCII)
        guard isASCII || label.count <= 4 * Punycode.maximumLength else { throw Fault() }
        var mapped = String.UnicodeScalarView()
        for scalar in label { mapped.append(contentsOf: try form(of: scalar)) }
        let scalars = isASCII ? Array(mapped) : NormalForm.composed(mapped)
        guard !isPunycode(scalars) else { return try decoded(scalars) }
        if !scalars.allSatisfy(\.isASCII), let first = scalars.first, isMark(first) { throw Fault(first, .unmapped) }
        return scalars
    }

    private static func isPunycode(_ label: [Unicode.Scalar]) -> Bool { label.starts(with: "xn--".unicodeScalars) }

    /// What the `xn--` form of a label says, which has to be what it would be made of (UTS 46, section 4.1).
    private static func decoded(_ label: [Unicode.Scalar]) throws(Fault) -> [Unicode.Scalar] {
        guard let scalars = Punycode.decode(label.dropFirst(4)), !scalars.allSatisfy(\.isASCII) else { throw Fault() }
        for scalar in scalars {
            guard try Array(form(of: scalar)) == [scalar] else { throw Fault(scalar, .forbidden) }
        }
        if let first = scalars.first, isMark(first) { throw Fault(first, .forbidden) }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        guard NormalForm.composed(view) == scalars, !isPunycode(scalars),
            Punycode.encode(scalars).map({ "xn--\($0)" }) == text(label)
        else { throw Fault() }
        return scalars
    }

    private static func text(_ label: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(label))
    }

    private static func written(_ label: [Unicode.Scalar]) throws(Fault) -> String {
        guard !label.allSatisfy(\.isASCII) else { return text(label) }
        guard let encoded = Punycode.encode(label) else { throw Fault() }
        return "xn--\(encoded)"
    }

    // MARK: Characters

    /// What a name has for a character (UTS 46, section 5, not transitional).
    ///
    /// Unicode says of each character whether folding case and compatibility changes it. If not, it stands for itself. If its small
    /// letters are not changed again, they are what it is folded to.
    private static func form(of scalar: Unicode.Scalar) throws(Fault) -> String.UnicodeScalarView {
        switch scalar.value {
        case ..<0x80:
            guard let form = form(of: UInt8(truncatingIfNeeded: scalar.value)) else { throw Fault() }
            return form
        case 0xFF01...0xFF5E:
            guard let form = form(of: UInt8(truncatingIfNeeded: scalar.value &- 0xFEE0)) else {
                throw Fault(scalar, .forbidden)
            }
            return form
        // Symbols, and yet no characters of names: they describe others or stand for none.
        case 0x2FF0...0x2FFF, 0x31EF, 0xFFFC, 0xFFFD: throw Fault(scalar, .forbidden)
        default: break
        }
        // Folded to "ss" and to another sigma, and yet letters of their own in names since IDNA2008.
        let isDeviation = scalar == "\u{DF}" || scalar == "\u{3C2}"
        if isDeviation || !scalar.properties.changesWhenNFKCCaseFolded {
            guard isSeen(scalar) else {
                throw Fault(scalar, scalar.properties.generalCategory == .control ? .forbidden : .unmapped)
            }
            return String.UnicodeScalarView([scalar])
        }
        let small = scalar.properties.lowercaseMapping.unicodeScalars
        let isFolded =
            small.first != scalar && small.allSatisfy { !$0.properties.changesWhenNFKCCaseFolded && isSeen($0) }
        guard isFolded else { throw Fault(scalar, .unmapped) }
        return small
    }

    /// The small form of a byte of ASCII; nil where no name has it.
    private static func form(of byte: UInt8) -> String.UnicodeScalarView? {
        HostName.isForbidden(byte) ? nil : String.UnicodeScalarView([Unicode.Scalar(FieldByte.lowercased(byte))])
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
