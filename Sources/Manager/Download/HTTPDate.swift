/// Dates of header fields, in the one form that is still written (RFC 9110, section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The seconds since 1970; nil where the text has another form.
    static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let day = number(parts[1]), let month = months.firstIndex(of: String(parts[2])),
            let year = number(parts[3])
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false).compactMap(number)
        guard clock.count == 3 else { return nil }
        return days(year: year, month: month + 1, day: day) * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
    }

    /// At most 29 digits ever come here, and no more than four are taken.
    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// Days since 1970-01-01 in the Gregorian calendar, for years that begin in March and so end with the leap day.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        // 400 years more keep the years 0 and -1 away from division of negative numbers.
        let shifted = year + 400
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468 - 146_097
    }
}
