import PatchbayPlatform
import PatchbayRegistry

/// What a cache looks at in a request, as it is sent.
struct CacheRequest: Sendable {
    let method: String
    /// The digest of the URL without its fragment.
    let url: KeyedDigest.Value
    /// The digest of what always selects a response: the fields with credentials, Host, the settings of the connection, the
    /// codings that the caller decodes, and Accept, because many servers answer by it and don't say so.
    let identity: UInt64
    let directives: CacheDirectives
    private let fields: HeaderFields
    let digest: KeyedDigest

    /// - Parameters:
    ///   - credentialFields: the fields that a redirect to another origin drops.
    ///   - setsCoding: whether the caller set Accept-Encoding. What the client itself says there selects no response,
    ///     because the stored content is decoded.
    init(
        _ head: RequestHead, to host: CanonicalHost, _ credentialFields: [String], setsCoding: Bool,
        over connection: ConnectionSettings, _ digest: KeyedDigest
    ) {
        (method, self.digest) = (head.method, digest)
        url = digest.url(head.url, at: host)
        directives = CacheDirectives(request: head.fields)
        var fields = head.fields
        if !setsCoding { fields["Accept-Encoding"] = nil }
        self.fields = fields
        var values: [UInt8] = []
        for name in credentialFields + ["Host", "Accept-Encoding", "Accept"] where fields[name] != nil {
            let lines = fields.octets(for: name)
            values.append(text: FieldByte.lowercased(Substring(name)).utf8)
            values.append(number: lines.count)
            for line in lines { values.append(text: line) }
        }
        for part in connection.identity { values.append(text: part.utf8) }
        identity = digest.value(of: values).low
    }

    var key: Flight.Key { Flight.Key(url: url, identity: identity) }

    /// The fields that select a response, by its Vary; nil if only the server can select it (`*`).
    func variant(of response: HeaderFields) -> Variant? {
        let names = response.members(of: "Vary").map { FieldByte.lowercased(Substring($0)) }.filter { !$0.isEmpty }
        // So many names cost each look-up more than the response is worth.
        guard !names.contains("*"), names.count <= 64 else { return nil }
        return variant(Set(names).inOrder())
    }

    /// Whether a stored response may answer this request (RFC 9111, section 4.1).
    func selects(_ stored: StoredHead) -> Bool { variant(stored.variant.names).digest == stored.variant.digest }

    private func variant(_ names: [String]) -> Variant {
        var values = Self.values(of: names, in: fields)
        values.append(contentsOf: withUnsafeBytes(of: identity) { Array($0) })
        return Variant(names: names, digest: digest.value(of: values).low)
    }

    /// The names and the values of fields in a form without ambiguity. Several lines of one field are one list, and blanks
    /// around its commas don't count.
    private static func values(of names: [String], in fields: HeaderFields) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in names where fields[name] != nil {
            let lines = fields.octets(for: name)
            bytes.append(text: FieldByte.lowercased(Substring(name)).utf8)
            let members = lines.flatMap { $0.quotedMembers() }
            bytes.append(number: members.count)
            for member in members { bytes.append(text: member.trimmed) }
        }
        return bytes
    }
}

/// The fields of a request that select a stored response, in lower case and in order, and the digest of their values,
/// with those that always select.
struct Variant: Sendable, Hashable {
    let names: [String]
    let digest: UInt64
}

extension ConnectionSettings {
    /// The settings that decide which server answers, whom it takes for its client, and whether it is believed. Empty for
    /// the standard ones.
    fileprivate var identity: [String] {
        // Over plain http, a proxy is the server.
        var parts = [unixSocket, address, proxy == .environment ? nil : "\(proxy)"].map { $0 ?? "" }
        if let tls, tls != TLSSettings() {
            parts += [tls.clientCertificate?.certificate ?? "", tls.certificateAuthorities ?? ""]
            parts += [tls.certificateAuthorityData?.base64EncodedString() ?? "", "\(tls.keepsSystemAuthorities)"]
            parts += ["\(tls.unsafelyAcceptsAnyCertificate)"] + tls.pinnedKeys.map(\.description).inOrder()
        }
        return parts == ["", "", ""] ? [] : parts
    }
}

/// SipHash-2-4 with a result of 128 bits: whoever doesn't know the key can neither find two texts with one digest nor
/// tell from a digest what the text was. It also finds damage of a file.
struct KeyedDigest: Sendable {
    struct Value: Hashable, Sendable {
        let high: UInt64
        let low: UInt64

        /// 32 hexadecimal digits.
        var text: String { high.hexadecimal + low.hexadecimal }
    }

    let key: Value

    init(key: Value = Value(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))) { self.key = key }

    /// The digest of a URL without its fragment and its user. All spellings of the host count as one.
    func url(_ url: URL, at host: CanonicalHost) -> Value {
        let written = url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") }
        let scheme = written.prefix { $0 != UInt8(ascii: ":") }
        let rest = written.dropFirst(scheme.count + 3).drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        var bytes: [UInt8] = []
        bytes.append(text: scheme.map { FieldByte.lowercased($0) })
        bytes.append(text: host.description.utf8)
        if rest.first != UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
        bytes.append(contentsOf: rest)
        return value(of: bytes)
    }

    func value(of bytes: [UInt8]) -> Value { bytes.withUnsafeBytes { value(of: $0) } }

    func value(of bytes: UnsafeRawBufferPointer) -> Value {
        var state: State = (
            key.high ^ 0x736F_6D65_7073_6575, key.low ^ 0x646F_7261_6E64_6F6D ^ 0xEE, key.high ^ 0x6C79_6765_6E65_7261,
            key.low ^ 0x7465_6462_7974_6573
        )
        let whole = bytes.count & ~7
        for place in stride(from: 0, to: whole, by: 8) {
            Self.take(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)), &state)
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for (place, byte) in bytes[whole...].enumerated() { last |= UInt64(byte) << (8 * UInt64(place)) }
        Self.take(last, &state)
        state.2 ^= 0xEE
        for _ in 0..<4 { Self.round(&state) }
        let low = state.0 ^ state.1 ^ state.2 ^ state.3
        state.1 ^= 0xDD
        for _ in 0..<4 { Self.round(&state) }
        return Value(high: state.0 ^ state.1 ^ state.2 ^ state.3, low: low)
    }

    // A tuple, because the lanes of a SIMD4 are slower one by one.
    private typealias State = (UInt64, UInt64, UInt64, UInt64)

    @inline(__always)
    private static func take(_ word: UInt64, _ state: inout State) {
        state.3 ^= word
        round(&state)
        round(&state)
        state.0 ^= word
    }

    @inline(__always)
    private static func round(_ v: inout State) {
        func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
        v.0 &+= v.1
        v.1 = rotated(v.1, 13) ^ v.0
        v.0 = rotated(v.0, 32)
        v.2 &+= v.3
        v.3 = rotated(v.3, 16) ^ v.2
        v.0 &+= v.3
        v.3 = rotated(v.3, 21) ^ v.0
        v.2 &+= v.1
        v.1 = rotated(v.1, 17) ^ v.2
        v.2 = rotated(v.2, 32)
    }
}

extension [UInt8] {
    mutating func append(number: some BinaryInteger) {
        Swift.withUnsafeBytes(of: UInt64(truncatingIfNeeded: number).littleEndian) { append(contentsOf: $0) }
    }

    /// Appends the length of the text, and the text.
    mutating func append(text: some Collection<UInt8>) {
        append(number: text.count)
        append(contentsOf: text)
    }
}
