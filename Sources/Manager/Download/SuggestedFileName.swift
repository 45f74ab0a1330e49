import PatchbayPlatform
public import PatchbayRegistry

extension ResponseHead {
    /// The name that the response suggests for its file: one path component of at most 200 bytes, never hidden and
    /// never special. The name comes from Content-Disposition (RFC 6266), or else from the path of the URL. If neither
    /// gives a usable name, the name is `download`.
    public var suggestedFileName: String { SuggestedFileName(self).name }
}

/// The name that a response suggests for its file, made safe: always one path component, never hidden, never special.
///
/// The name comes from the parameters `filename*` and `filename` of Content-Disposition (RFC 6266, section 4.3), or
/// else from the last path component of the URL. Only the part after the last separator counts. Control characters,
/// invisible characters, characters that change the direction of text, lookalikes of separators, and characters that
/// some file systems refuse become `_`. Dots and white space at both ends are removed, as well as marks that would
/// combine with the text before the name. The result has at most 200 bytes.
///
/// All steps work on Unicode scalars, because a `Character` includes the marks after it: a slash with a combining
/// accent is not the `Character` slash, but the system still reads a slash.
package struct SuggestedFileName: Sendable, Hashable {
    package static let fallback = "download"

    /// One path component of 1 to 200 bytes of UTF-8.
    package let name: String

    /// The name of the file of a response; `fallback` if no usable name is suggested.
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
        // Slashes of other widths and uses, which a conversion can turn into a plain slash.
        "\u{2044}", "\u{2215}", "\u{29F5}", "\u{29F8}", "\u{FE68}", "\u{FF0F}", "\u{FF3C}",
    ]

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x80 else {
            return scalar.value < 0x20 || scalar.value == 0x7F || unsafe.contains(scalar)
        }
        if unsafe.contains(scalar) { return true }
        return scalar.isInvisible || [.format, .privateUse, .unassigned].contains(scalar.properties.generalCategory)
    }

    /// Dots and white space, which are trimmed from both ends of a file name.
    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }

    /// Whether the scalar combines with the scalar before it into one character.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80 && "_\(Character(scalar))".count == 1
    }

    /// Removes dots and white space at the end, with the marks on them.
    private static func trimEnd(_ scalars: inout Substring.UnicodeScalarView) {
        while let base = scalars.lastIndex(where: { !joins($0) }), isEdge(scalars[base]) { scalars = scalars[..<base] }
    }

    /// Whether Windows reserves the name for a device, whatever its extension.
    private static func isReserved(_ scalars: Substring.UnicodeScalarView) -> Bool {
        var stem = scalars.prefix { $0 != "." }
        trimEnd(&stem)
        let name = String(stem).uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(name) { return true }
        // Windows treats superscript digits as digits.
        return name.count == 4 && (name.hasPrefix("COM") || name.hasPrefix("LPT")) && name.last?.isNumber == true
    }

    /// Shortens the name to at most 200 bytes, so that the name of its part file has at most 255 bytes. A short
    /// extension is kept.
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
