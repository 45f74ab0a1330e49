import PatchbayPlatform

/// Brings host names and addresses into canonical form.
///
/// Names are read by scalars or bytes, as their standards are written. To compare two `Character`s is to normalize them, which takes
/// time with the square of the marks on one letter.
package enum HostName {
    /// The name or address in canonical form, or nil where it is none.
    ///
    /// This is the part of UTS 46 that needs no tables of its own: full stops and ASCII of full width become ASCII, letters become
    /// lower case, what belongs together is composed (NFC), and a label beyond ASCII becomes its `xn--` form. What has no form
    /// that a URL would reach is no name: ligatures and whatever else only tables map, joiners and other characters that are not
    /// seen, and a mark at the start of a label. Which way the letters of a label run is not checked.
    static func canonical(_ host: String) -> String? {
        if host.utf8.contains(UInt8(ascii: ":")) { return canonicalIPv6(host) }
        var labels: [String] = []
        for label in narrowed(host).unicodeScalars.split(separator: ".", omittingEmptySubsequences: false) {
            guard let label = canonicalLabel(Substring(label)) else { return nil }
            labels.append(label)
        }
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        guard !labels.contains("") else { return nil }
        return labels.joined(separator: ".")
    }

    /// Whether a canonical name is an address: in brackets, or ending in a number (WHATWG URL, "ends in a number").
    static func isAddress(_ name: String) -> Bool {
        guard !name.hasPrefix("[") else { return true }
        let last = name.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.reversed()
        let isDecimal = last.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return isDecimal || (last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy(isHexadecimal))
    }

    /// Whether a canonical name can stand in a URL as it is (RFC 3986, section 3.2.2): an address in brackets without a zone, or
    /// characters that need no percent-encoding there.
    package static func isWritable(_ name: String) -> Bool {
        name.hasPrefix("[") ? !name.contains("%") : name.utf8.allSatisfy { isLetterOrDigit($0) || marks.contains($0) }
    }

    /// RFC 3986, section 2: unreserved and sub-delims.
    private static let marks = Set("-._~!$&'()*+,;=".utf8)

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether the brackets and the port of a URL are as they must be: an IPv6 address in the ones, at most 65535 for the other.
    ///
    /// Foundation takes the brackets off `[www.example.com]`, and finds no port where the number is too large for it.
    static func hasReadableAuthority(_ url: String) -> Bool {
        var url = url
        return url.withUTF8 { bytes in
            guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")), bytes[slash...].starts(with: "//".utf8) else {
                return true
            }
            var authority = bytes[(slash + 2)...].prefix {
                $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
            if let user = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(user + 1)...] }
            if authority.first == UInt8(ascii: "[") {
                let address = authority.prefix { $0 != UInt8(ascii: "]") }
                guard address.contains(UInt8(ascii: ":")) else { return false }
                authority = authority[address.endIndex...]
            }
            guard let colon = authority.firstIndex(of: UInt8(ascii: ":")) else { return true }
            let digits = authority[(colon + 1)...].drop { $0 == UInt8(ascii: "0") }
            return digits.count < 5 || (digits.count == 5 && !"65535".utf8.lexicographicallyPrecedes(digits))
        }
    }

    /// Takes `host` and `port` of `host:port` apart; an IPv6 address must be in brackets. The parts are not checked.
    static func splittingPort(_ authority: String) -> (host: Substring, port: Substring?)? {
        let scalars = authority.unicodeScalars
        if scalars.first == "[" {
            guard let closing = scalars.firstIndex(of: "]") else { return nil }
            let rest = scalars[closing...].dropFirst()
            guard rest.isEmpty || rest.first == ":" else { return nil }
            return (Substring(scalars[...closing]), rest.isEmpty ? nil : Substring(rest.dropFirst()))
        }
        guard let colon = scalars.firstIndex(of: ":") else { return (authority[...], nil) }
        let port = scalars[colon...].dropFirst()
        return port.contains(":") ? nil : (Substring(scalars[..<colon]), Substring(port))
    }

    /// A port number, 0 to 65535 in at most five digits.
    static func port(_ digits: Substring) -> Int? {
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), port <= 65535
        else { return nil }
        return port
    }

    // MARK: Labels

    /// Full stops of other scripts and ASCII characters of full width in their ASCII form.
    private static func narrowed(_ host: String) -> String {
        guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return host }
        var narrowed = String.UnicodeScalarView()
        for scalar in host.unicodeScalars {
            switch scalar.value {
            case 0x3002, 0xFF61: narrowed.append(".")
            case 0xFF01...0xFF5E: narrowed.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value &- 0xFEE0)))
            default: narrowed.append(scalar)
            }
        }
        return String(narrowed)
    }

    private static func canonicalLabel(_ label: Substring) -> String? {
        let isASCII = label.utf8.allSatisfy { $0 < 0x80 }
        // Composing takes time with the square of the marks on one letter. It makes one scalar of four at most, since no character
        // has a longer canonical decomposition, and mapping removes none: what is longer here is longer than a label in the end.
        guard isASCII || label.unicodeScalars.count <= 4 * Punycode.maximumLength,
            label.utf8.allSatisfy({ !isForbidden($0) })
        else { return nil }
        guard !isASCII else { return FieldByte.lowercased(label) }
        var mapped = String.UnicodeScalarView()
        for scalar in label.unicodeScalars {
            guard let form = Self.mapped(scalar) else { return nil }
            mapped.append(contentsOf: form)
        }
        let scalars = NormalForm.composed(mapped)
        guard let first = scalars.first, !isMark(first) else { return nil }
        let name = String(String.UnicodeScalarView(scalars))
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        // What is encoded once is not encoded again.
        return name.hasPrefix("xn--") ? nil : Punycode.encode(scalars).map { "xn--\($0)" }
    }

    /// The first character for which a name has no canonical form, as `U+FB03`; nil where something else is wrong with it.
    package static func unmapped(in host: String) -> String? {
        for label in narrowed(host).unicodeScalars.split(separator: ".") {
            let unmapped = label.enumerated().first { index, scalar in
                scalar.value >= 0x80 && (mapped(scalar) == nil || (index == 0 && isMark(scalar)))
            }
            guard let value = unmapped?.element.value else { continue }
            let digits = String(value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits
        }
        return nil
    }

    /// What a name has for a character (UTS 46, section 5, not transitional); nil where only tables could tell.
    ///
    /// Unicode says of each character whether folding case and compatibility changes it. If not, it stands for itself. If its small
    /// letters are not changed again, they are what it is folded to.
    private static func mapped(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView? {
        // Folded to "ss" and to another sigma, and yet letters of their own in names since IDNA2008.
        let isDeviation = scalar == "\u{DF}" || scalar == "\u{3C2}"
        guard !isDeviation, scalar.properties.changesWhenNFKCCaseFolded else {
            return isSeen(scalar) ? String.UnicodeScalarView([scalar]) : nil
        }
        let small = scalar.properties.lowercaseMapping.unicodeScalars
        let isFolded =
            small.first != scalar && small.allSatisfy { !$0.properties.changesWhenNFKCCaseFolded && isSeen($0) }
        return isFolded ? small : nil
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

    /// Forbidden domain code points (WHATWG URL, section 3.2).
    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || "#/:<>?@[\\]^|%".utf8.contains(byte)
    }

    // MARK: IPv6

    /// `[address%zone]`, with or without brackets, the address in the form of RFC 5952.
    private static func canonicalIPv6(_ host: String) -> String? {
        var text = host.unicodeScalars[...]
        if text.first == "[" {
            guard text.last == "]" else { return nil }
            text = text.dropFirst().dropLast()
        }
        let end = text.firstIndex(of: "%") ?? text.endIndex
        let zone = Substring(text[end...])
        guard
            zone.isEmpty
                || (zone.utf8.count > 1 && zone.utf8.dropFirst().allSatisfy({ $0 < 0x80 && !isForbidden($0) })),
            let address = shortestIPv6(Substring(text[..<end]))
        else { return nil }
        return "[\(address)\(zone)]"
    }

    private static func shortestIPv6(_ text: Substring) -> String? {
        // Checked first, because C would stop reading at a NUL.
        guard text.utf8.allSatisfy({ isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }) else {
            return nil
        }
        var address = in6_addr()
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_pton(AF_INET6, String(text), &address) == 1,
            inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil
        else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
}

/// Writes a label beyond ASCII in ASCII (RFC 3492, section 6.3).
enum Punycode {
    private static let base = 36, minimum = 1, maximum = 26, skew = 38, damp = 700
    private static let firstBeyondASCII = 0x80

    /// How many scalars a label of 63 bytes can hold at most.
    static let maximumLength = 63

    /// The label without `xn--`; nil where it has more scalars than a label of 63 bytes can hold.
    ///
    /// That cap also keeps every sum below 64 × 1,114,112 and the time, which grows with the square of the length, small.
    static func encode(_ label: [Unicode.Scalar]) -> String? {
        guard label.count <= maximumLength else { return nil }
        let values = label.map { Int($0.value) }
        let basic = values.filter { $0 < firstBeyondASCII }
        var output = basic.map { UInt8(truncatingIfNeeded: $0) }
        if !basic.isEmpty { output.append(UInt8(ascii: "-")) }

        var bias = 72
        var delta = 0
        var handled = basic.count
        var current = firstBeyondASCII
        while let next = values.filter({ $0 >= current }).min() {
            delta += (next - current) * (handled + 1)
            for value in values {
                if value < next { delta += 1 }
                guard value == next else { continue }
                appendInteger(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic.count)
                delta = 0
                handled += 1
            }
            delta += 1
            current = next + 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a number of variable length: digits in base 36, each with its own threshold.
    private static func appendInteger(_ number: Int, bias: Int, to output: inout [UInt8]) {
        var rest = number
        var position = base
        while true {
            let threshold = min(max(position - bias, minimum), maximum)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - minimum) * maximum / 2 {
            delta /= base - minimum
            steps += base
        }
        return steps + (base - minimum + 1) * delta / (delta + skew)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30)
    }
}
