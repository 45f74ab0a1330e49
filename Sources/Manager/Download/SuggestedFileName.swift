public import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The name that a response suggests for its file, made safe: always one path component, never hidden, never special.
///
/// From the `filename*` and `filename` parameters of Content-Disposition (RFC 6266, section 4.3), then the last component of the
/// URL's path. Of a name with separators only the last part counts; control characters, marks that turn the direction of text and
/// characters that some file systems do not take become `_`; dots and blanks at the ends go; the result has at most 200 bytes.
public struct SuggestedFileName: Sendable, Hashable {
    /// What a file is called where nothing usable is suggested.
    public static let fallback = "download"

    public let name: String

    public init(_ head: ResponseHead) {
        let suggested = head.fields["Content-Disposition"].flatMap(ContentDisposition.fileName)
        let ofURL = head.url.path(percentEncoded: false).split(separator: "/").last.map(String.init)
        name = suggested.flatMap(Self.safe) ?? ofURL.flatMap(Self.safe) ?? Self.fallback
    }

    /// The safe form of a name, or nil where nothing of it is left.
    static func safe(_ suggestion: String) -> String? {
        let last = suggestion.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        var scalars = String.UnicodeScalarView()
        for scalar in last.unicodeScalars { scalars.append(isUnsafe(scalar) ? "_" : scalar) }
        let trimmed = trim(String(scalars))
        guard !trimmed.isEmpty else { return nil }
        return shorten(isReserved(trimmed) ? "_" + trimmed : trimmed)
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if ":*?\"<>|".unicodeScalars.contains(scalar) { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return true
        default: return false
        }
    }

    private static func trim(_ name: String) -> String {
        var name = name[...]
        while let first = name.first, first == "." || first.isWhitespace { name.removeFirst() }
        while let last = name.last, last == "." || last.isWhitespace { name.removeLast() }
        return String(name)
    }

    /// Whether Windows keeps the name for a device.
    private static func isReserved(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.uppercased()
        if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
        return stem.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && stem.last?.isNumber == true
    }

    /// At most 200 bytes, so that there is room for what is put around the name; a short extension is kept.
    private static func shorten(_ name: String) -> String {
        guard name.utf8.count > 200 else { return name }
        let fileExtension = name.lastIndex(of: ".").map { name[$0...] }.flatMap { $0.utf8.count <= 16 ? $0 : nil } ?? ""
        var stem = name.dropLast(fileExtension.count)
        while stem.utf8.count + fileExtension.utf8.count > 200 { stem.removeLast() }
        return String(stem) + fileExtension
    }
}

extension SuggestedFileName: CustomStringConvertible {
    public var description: String { name }
}
