extension HeaderFields {
    /// The members of a list field (RFC 9110, section 5.6.1), those of repeated fields in turn, without the blanks around them.
    package func members(of name: String) -> [String] {
        var members: [String] = []
        var index = 0
        while let next = position(of: name, from: index) {
            index = next + 1
            let value = self[next].value
            let bytes = value.utf8
            guard bytes.contains(where: { $0 == UInt8(ascii: ",") || FieldByte.isBlank($0) }) else {
                // Most are one member and nothing else.
                members.append(value)
                continue
            }
            for member in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                var member = member.drop { FieldByte.isBlank($0) }
                while let last = member.last, FieldByte.isBlank(last) { member.removeLast() }
                members.append(String(Substring(member)))
            }
        }
        return members
    }
}
