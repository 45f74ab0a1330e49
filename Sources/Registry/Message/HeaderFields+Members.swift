extension HeaderFields {
    /// The members of a list field (RFC 9110, section 5.6.1), those of repeated fields in turn, without the blanks around them.
    package func members(of name: String) -> [String] {
        values(for: name).flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false).map { member in
                var member = member.drop { $0 == " " || $0 == "\t" }
                while let last = member.last, last == " " || last == "\t" { member.removeLast() }
                return String(member)
            }
        }
    }
}
