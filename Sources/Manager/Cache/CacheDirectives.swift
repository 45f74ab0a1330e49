import PatchbayRegistry

/// The directives of the `Cache-Control` fields of a message (RFC 9111, section 5.2). What is no directive is skipped.
struct CacheDirectives {
    /// The names in lower case. The value of a quoted string has no quotes.
    private let directives: [(name: String, value: String?)]

    init(_ fields: HeaderFields) { self.init(lines: fields.values(for: "Cache-Control")) }

    /// The directives of a request. Old clients say `Pragma: no-cache` instead (section 5.4).
    init(request fields: HeaderFields) {
        self.init(lines: fields.values(for: fields["Cache-Control"] == nil ? "Pragma" : "Cache-Control"))
    }

    private init(lines: [String]) {
        directives = lines.flatMap { line in
            line.utf8.quotedMembers().compactMap { member in
                let parts = member.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                let name = FieldByte.lowercased(Substring(parts[0].trimmed))
                guard !name.isEmpty else { return nil }
                return (name, parts.count == 2 ? parts[1].trimmed.unquoted : nil)
            }
        }
    }

    var isEmpty: Bool { directives.isEmpty }

    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// The field names after `no-cache=` or `private=`; nil without the directive, empty for one without a value.
    func names(of directive: String) -> [String]? {
        let found = directives.filter { $0.name == directive }
        guard !found.isEmpty else { return nil }
        // One without names is about the whole response.
        guard found.allSatisfy({ $0.value != nil }) else { return [] }
        return found.flatMap {
            ($0.value ?? "").utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0.trimmed)) }
        }
    }

    /// The seconds of a directive; nil without it. The first of several counts. A number that is too large is the
    /// largest one that must be understood (section 1.2.2), and a value that is no number counts as 0 (section 4.2.1).
    func seconds(_ name: String) -> Int? {
        guard let found = directives.first(where: { $0.name == name }) else { return nil }
        return Self.seconds(found.value ?? "") ?? 0
    }

    /// By how many seconds a response may be stale; every number without a value (section 5.2.1.2).
    var staleness: Int {
        directives.contains { $0.name == "max-stale" && $0.value == nil } ? .max : seconds("max-stale") ?? 0
    }

    /// A number of seconds; nil for other text.
    static func seconds(_ text: String) -> Int? {
        let largest = 2_147_483_648
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(text[...].decimalNumber ?? largest, largest)
    }
}

extension BidirectionalCollection<UInt8> {
    /// The parts between the commas outside quotes. A quote that is never closed is none.
    func quotedMembers() -> [SubSequence] {
        var (isQuoted, isEscaped) = (false, false)
        let members = split(omittingEmptySubsequences: false) { byte in
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else {
                isEscaped = isQuoted && byte == UInt8(ascii: "\\")
            }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return isQuoted ? split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) : members
    }

    /// Without blanks at its ends.
    var trimmed: SubSequence {
        var rest = drop { FieldByte.isBlank($0) }
        while let last = rest.last, FieldByte.isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}

extension Substring.UTF8View {
    /// The text of a token, or of a quoted string.
    fileprivate var unquoted: String {
        guard first == UInt8(ascii: "\""), count >= 2, last == UInt8(ascii: "\"") else {
            return String(Substring(self))
        }
        var isEscaped = false
        let bytes = dropFirst().dropLast().filter { byte in
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            return !isEscaped
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HeaderFields {
    /// Without all fields of the names. One pass, because a server can name very many.
    func without(_ names: [String]) -> HeaderFields {
        let left = Set(names.map { FieldByte.lowercased($0) })
        let kept = indices.filter { !left.contains(FieldByte.lowercased(self[$0].name)) }
        return HeaderFields(kept.map { self[$0] }, latin1: kept.indices.filter { isLatin1(at: kept[$0]) })
    }
}
