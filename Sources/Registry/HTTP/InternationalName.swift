import PatchbayPlatform

/// A character that makes a name beyond ASCII invalid.
package struct HostFault: Sendable {
    package enum Reason: Sendable {
        /// The character maps to other characters or to nothing by tables that neither this library nor the system has,
        /// or depends on its neighbours.
        case unmapped
        /// The character is not allowed in this place, or in no place, by the tables of Foundation (UTS 46).
        case misplaced
        /// No name is allowed to contain the character or a character that maps to it.
        case forbidden
        /// The character breaks the rules for right-to-left names.
        case direction
    }

    let scalar: Unicode.Scalar
    package let reason: Reason

    /// `U+FB03`
    package var number: String { scalar.number }
}

extension Unicode.Scalar {
    /// The character, and the number of one that is not seen: `(`, `a space (U+0020)`, `U+0000`.
    var shown: String { value == 0x20 ? "a space (U+0020)" : value < 0x20 || value == 0x7F ? number : "\(self)" }

    /// `U+FB03`
    var number: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }
}

/// Reads names beyond ASCII.
///
/// This is the part of UTS 46 that needs no large tables: full stops and full-width ASCII become ASCII, letters become
/// lower case, combining sequences are composed (NFC), and a label beyond ASCII becomes its `xn--` form. An existing
/// `xn--` label is decoded and must follow the same rules. A mark at the start of a label and labels with letters of
/// both directions are invalid. Foundation decides about names with ligatures and other characters that need mapping
/// tables, and with joiners and other invisible characters. Without Foundation's tables, these names are invalid, too.
enum InternationalName {
    /// The fault of a name. `character` is nil if the fault is not about one character.
    struct Fault: Error {
        let character: HostFault?

        init() { character = nil }
        init(_ scalar: Unicode.Scalar, _ reason: HostFault.Reason) {
            character = HostFault(scalar: scalar, reason: reason)
        }
    }

    /// Maps a name with Foundation's tables; nil in a program that has FoundationEssentials alone, which has no tables.
    static let foundation: (@Sendable (String) -> String?)? = {
        guard URLComponents(string: "http://\u{DF}/")?.encodedHost == "xn--zca" else { return nil }
        return { mappedByFoundation($0) }
    }()

    /// The labels in canonical form, including empty ones.
    /// - Parameter mapping: maps names with characters that need tables; nil without tables.
    static func labels(
        of host: String, mapping: (@Sendable (String) -> String?)? = foundation
    ) throws(Fault) -> [String] {
        do throws(Fault) {
            return try ownLabels(of: host)
        } catch {
            guard let mapping, let unmapped = error.character, unmapped.reason == .unmapped else { throw error }
            var needTables: [Unicode.Scalar] = []
            for scalar in host.unicodeScalars where !isFullStop(scalar) {
                do throws(Fault) {
                    _ = try form(of: scalar)
                } catch {
                    guard error.character?.reason == .unmapped else { throw error }
                    needTables.append(scalar)
                }
            }
            if let name = mapping(host) {
                return name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            }
            // The place of a character that needs no table is at fault, or the character of an xn-- label.
            guard needTables.contains(unmapped.scalar) else { throw Fault(unmapped.scalar, .misplaced) }
            guard let refused = needTables.first(where: { mapping("a\($0)b") == nil }) else { throw Fault() }
            throw Fault(refused, .misplaced)
        }
    }

    /// Foundation's `xn--` form of a name without characters that no name has; nil if the name is invalid.
    private static func mappedByFoundation(_ host: String) -> String? {
        // Composing takes time that grows with the square of the number of marks on one letter.
        let labels = host.unicodeScalars.split(whereSeparator: isFullStop)
        guard labels.count <= 127, labels.allSatisfy({ $0.count <= 4 * Punycode.maximumLength }),
            let url = URLComponents(string: "http://\(host)/"), url.user == nil, url.port == nil, url.path == "/",
            url.query == nil, url.fragment == nil, let name = url.encodedHost, !name.isEmpty,
            // A character that maps to a percent sign is invalid, like the percent sign.
            name.utf8.allSatisfy({ $0 < 0x80 && !HostName.isForbidden($0) })
        else { return nil }
        return FieldByte.lowercased(Substring(name))
    }

    private static func ownLabels(of host: String) throws(Fault) -> [String] {
        var labels: [[Unicode.Scalar]] = []
        for label in host.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: isFullStop) {
            labels.append(try scalars(of: label))
        }
        if let scalar = misdirected(in: labels) { throw Fault(scalar, .direction) }
        var names: [String] = []
        for label in labels { names.append(try written(label)) }
        return names
    }

    static func isFullStop(_ scalar: Unicode.Scalar) -> Bool {
        [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar)
    }

    // MARK: Labels

    /// The scalars of a label: mapped and composed, or decoded from its `xn--` form.
    private static func scalars(of label: Substring.UnicodeScalarView) throws(Fault) -> [Unicode.Scalar] {
        // The time for composing grows with the square of the number of marks on one letter. Composing joins at most
        // four scalars into one, because no character has a longer canonical decomposition, and mapping removes none.
        // So a longer text cannot become a valid label.
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

    /// Decodes an `xn--` label. Encoding the result must give the same `xn--` label again (UTS 46, section 4.1).
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

    /// The form of a character in a name (UTS 46, section 5, not transitional).
    ///
    /// Unicode has a property for characters that case folding and compatibility mapping change. A character without
    /// this property is its own form. If the lower-case form of a character is without this property, it is the folded
    /// form.
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
        // Symbols that describe the shape of other characters, and replacement characters: names cannot contain them.
        case 0x2FF0...0x2FFF, 0x31EF, 0xFFFC, 0xFFFD: throw Fault(scalar, .forbidden)
        default: break
        }
        // Case folding maps ß to "ss" and ς to another sigma, but IDNA2008 allows both in names.
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

    /// The lower-case form of an ASCII byte; nil for a forbidden one.
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
