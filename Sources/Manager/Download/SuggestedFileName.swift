import PatchbayPlatform
public import PatchbayRegistry

extension ResponseHead {
    /// The name that the response suggests for its file: one path component of at most 200 bytes that is never hidden and never
    /// special; `download` where nothing usable is suggested. From Content-Disposition (RFC 6266), else from the URL's path.
    public var suggestedFileName: String { SuggestedFileName(self).name }
}

/// The name that a response suggests for its file, made safe: always one path component, never hidden, never special.
///
/// From the `filename*` and `filename` parameters of Content-Disposition (RFC 6266, section 4.3), then the last component of the
/// URL's path. Of a name with separators only the last part counts; control characters, marks that turn the direction of text or
/// cannot be seen, what looks like a separator and characters that some file systems do not take become `_`; dots and blanks at
/// the ends go, and marks that would join what stands before the name; the result has at most 200 bytes.
///
/// All of it by Unicode scalars. A character is as long as the next mark makes it: a slash with a combining accent is another
/// character than a slash, and a slash to the system.
package struct SuggestedFileName: Sendable, Hashable {
    package static let fallback = "download"

    /// One path component of 1 to 200 bytes of UTF-8.
    package let name: String

    /// The name of the file that a response carries; `fallback` where nothing usable is suggested.
    package init(_ head: ResponseHead) {
        let suggested = head.fields["Content-Disposition"].flatMap { ContentDisposition($0).fileName }
        name = suggested.flatMap(Self.safe) ?? Self.safe(head.url.path(percentEncoded: false)) ?? Self.fallback
    }

    static func safe(_ suggestion: String) -> String? {
        let last = suggestion.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? Substring.UnicodeScalarView()
        var scalars = Substring.UnicodeScalarView()
        for scalar in last { scalars.append(isUnsafe(scalar) ? "_" : scalar) }
        scalars = scalars.drop { isEdge($0) || joins($0) }
        trimEnd(&scalars)
        guard !scalars.isEmpty else { return nil }
        if isReserved(scalars) { scalars.insert("_", at: scalars.startIndex) }
        return shorten(scalars)
    }

    private static let unsafe: Set<Unicode.Scalar> = [
        ":", "*", "?", "\"", "<", ">", "|",
        // Slashes of other widths and other uses, which a conversion may turn into a plain one.
        "\u{2044}", "\u{2215}", "\u{29F5}", "\u{29F8}", "\u{FE68}", "\u{FF0F}", "\u{FF3C}",
    ]

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x80 else {
            return scalar.value < 0x20 || scalar.value == 0x7F || unsafe.contains(scalar)
        }
        if unsafe.contains(scalar) { return true }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return true
        // A variation selector says how the scalar before it looks, and nearly every emoji has one.
        default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }

    /// What no name begins or ends with.
    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }

    /// Whether the scalar is one character with the one before it.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80 && "_\(Character(scalar))".count == 1
    }

    /// Takes away dots and blanks at the end, with the marks on them.
    private static func trimEnd(_ scalars: inout Substring.UnicodeScalarView) {
        while let base = scalars.lastIndex(where: { !joins($0) }), isEdge(scalars[base]) { scalars = scalars[..<base] }
    }

    /// Whether Windows keeps the name for a device, whatever its extension.
    private static func isReserved(_ scalars: Substring.UnicodeScalarView) -> Bool {
        var stem = scalars.prefix { $0 != "." }
        trimEnd(&stem)
        let name = String(stem).uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(name) { return true }
        // The superscript digits are digits to it.
        return name.count == 4 && (name.hasPrefix("COM") || name.hasPrefix("LPT")) && name.last?.isNumber == true
    }

    /// At most 200 bytes, so that there is room for what is put around the name; a short extension is kept.
    private static func shorten(_ scalars: Substring.UnicodeScalarView) -> String {
        func bytes(_ scalars: Substring.UnicodeScalarView) -> Int { Substring(scalars).utf8.count }
        let dot = scalars.lastIndex(of: ".")
        let fileExtension =
            dot.map { scalars[$0...] }.flatMap { bytes($0) <= 16 ? $0 : nil } ?? Substring.UnicodeScalarView()
        var stem = scalars.dropLast(fileExtension.count)
        while bytes(stem) + bytes(fileExtension) > 200 { stem.removeLast() }
        guard fileExtension.isEmpty else { return String(stem) + String(fileExtension) }
        trimEnd(&stem)
        return String(stem)
    }
}

extension SuggestedFileName: CustomStringConvertible {
    package var description: String { name }
}
