import PatchbayPlatform

/// Brings host names and addresses into canonical form.
///
/// Names are read by scalars or bytes, as in their standards. Comparing two `Character`s normalises them, in time that
/// grows with the square of the marks on one letter.
package enum HostName {
    /// The name or address in canonical form; nil if it is invalid. `InternationalName` reads names beyond ASCII. ASCII
    /// names are only lower-cased, because DNS allows names that IDNA does not.
    package static func canonical(_ host: String) -> String? {
        if host.utf8.contains(UInt8(ascii: ":")) { return canonicalIPv6(host) }
        var labels: [String] = []
        if host.utf8.allSatisfy({ $0 < 0x80 }) {
            guard !host.utf8.contains(where: isForbidden) else { return nil }
            for label in host.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false) {
                labels.append(FieldByte.lowercased(Substring(label)))
            }
        } else {
            guard let read = try? InternationalName.labels(of: host) else { return nil }
            labels = read
        }
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        guard !labels.contains("") else { return nil }
        return labels.joined(separator: ".")
    }

    /// The first character that makes a name invalid; nil if the name is valid, or invalid for another reason.
    /// - Parameter hasTables: false for the answer of a program that has no tables of Unicode.
    package static func fault(in host: String, hasTables: Bool = true) -> HostFault? {
        do throws(InternationalName.Fault) {
            let mapping = hasTables ? InternationalName.foundation : nil
            if !host.utf8.allSatisfy({ $0 < 0x80 }) { _ = try InternationalName.labels(of: host, mapping: mapping) }
            return nil
        } catch {
            return error.character
        }
    }

    /// A URL, or a reference with an authority, with a host beyond ASCII in its canonical form. Escapes in the host are
    /// decoded. A trailing full stop stays. Any other text is returned as it is, even if its host is invalid.
    package static func mapping(_ url: String) -> String {
        guard let (range, host) = written(in: url), !host.utf8.allSatisfy({ $0 < 0x80 }), let name = canonical(host),
            isWritable(name)
        else { return url }
        let isRooted = host.unicodeScalars.last.map(InternationalName.isFullStop) == true
        let scalars = url.unicodeScalars
        return String(scalars[..<range.lowerBound]) + name + (isRooted ? "." : "")
            + String(scalars[range.upperBound...])
    }

    /// The place of the host in a URL, or in a reference with an authority, and the host, percent-decoded but otherwise
    /// as written. `URL` gives only a mapped host, so this function reads the text. Nil without a host, and for a host
    /// in brackets.
    package static func written(in url: String) -> (range: Range<String.Index>, host: String)? {
        // By scalars, because a mark at the start of the host is one character with the slash.
        let start = /(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//.matchingSemantics(.unicodeScalar)
        guard let mark = url.prefixMatch(of: start) else { return nil }
        var host = url.unicodeScalars[mark.range.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let user = host.lastIndex(of: "@") { host = host[user...].dropFirst() }
        guard host.first != "[" else { return nil }
        host = host.prefix { $0 != ":" }
        // Invalid UTF-8 becomes U+FFFD, which no host contains (WHATWG URL, section 3.5).
        let decoded = String(decoding: Substring(host).utf8.unescaped(), as: UTF8.self)
        return (host.startIndex..<host.endIndex, decoded)
    }

    /// Whether a canonical name is an address: in brackets, or ending in a number (WHATWG URL, "ends in a number").
    package static func isAddress(_ name: String) -> Bool {
        guard !name.hasPrefix("[") else { return true }
        let last = name.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.reversed()
        let isDecimal = last.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard !isDecimal else { return true }
        return last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy { $0.hexadecimalDigit != nil }
    }

    /// Whether a canonical name can be written in a URL unchanged (RFC 3986, section 3.2.2): an address in brackets
    /// without a zone, or characters that need no percent-encoding.
    package static func isWritable(_ name: String) -> Bool {
        name.hasPrefix("[")
            ? !name.contains("%") : name.utf8.allSatisfy { FieldByte.isLetterOrDigit($0) || marks.contains($0) }
    }

    /// RFC 3986, section 2: unreserved and sub-delims.
    private static let marks = Set("-._~!$&'()*+,;=".utf8)

    /// Whether brackets and port of a URL are valid: an IPv6 address in the brackets, a port of at most 65535.
    ///
    /// Foundation removes the brackets of `[www.example.com]`, and reports no port if the number is too large.
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

    /// Splits `host:port`; an IPv6 address must be in brackets. The parts are not checked.
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

    /// A port number: 0 to 65535, in at most five digits.
    static func port(_ digits: Substring) -> Int? {
        guard digits.utf8.count <= 5, let port = digits.decimalNumber, port <= 65535 else { return nil }
        return port
    }

    /// Forbidden domain code points (WHATWG URL, section 3.2).
    static func isForbidden(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || "#/:<>?@[\\]^|%".utf8.contains(byte)
    }

    // MARK: Addresses

    /// The one spelling of an address with a canonical name; nil for any other name.
    static func plainAddress(_ name: String) -> String? {
        guard name.hasPrefix("[") else {
            var address = in_addr()
            // WHATWG URL, section 3.5: one to four numbers, decimal, octal or hexadecimal.
            guard isAddress(name), inet_aton(name, &address) != 0 else { return nil }
            return withUnsafeBytes(of: &address, decimal)
        }
        let text = name.dropFirst().dropLast().prefix { $0 != "%" }
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
        return withUnsafeBytes(of: &address) { bytes in
            // RFC 4291, section 2.5.5.2: an IPv4-mapped IPv6 address.
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
            return isMapped ? decimal(UnsafeRawBufferPointer(rebasing: bytes[12...])) : "[\(text)]"
        }
    }

    private static func decimal(_ bytes: UnsafeRawBufferPointer) -> String {
        bytes.map { "\($0)" }.joined(separator: ".")
    }

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
        guard text.utf8.allSatisfy({ $0.hexadecimalDigit != nil || ":.".utf8.contains($0) }) else { return nil }
        var address = in6_addr()
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_pton(AF_INET6, String(text), &address) == 1,
            inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil
        else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
