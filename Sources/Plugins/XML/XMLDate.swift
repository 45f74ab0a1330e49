import PatchbayPlatform
import PatchbayRegistry

/// Points in time as XML documents write them. A time without an offset is not a point in time, so the result is nil.
enum XMLDate {
    /// The longest text that is parsed.
    private static let maximumLength = 64
    /// The offsets of named time zones, in hours (RFC 5322, sections 3.3 and 4.3).
    private static let zones = [
        "GMT": 0, "UT": 0, "UTC": 0, "Z": 0, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7,
        "PDT": -7, "PST": -8,
    ]

    /// `2001-01-01T00:00:00Z`, with or without a fraction of the second; an offset such as `+01:00` can replace the `Z`
    /// (XML Schema Part 2, section 3.2.7).
    static func dateTime(_ text: Substring) -> Date? {
        guard text.utf8.count <= maximumLength else { return nil }
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00".utf8)
        guard bytes.count > pattern.count else { return nil }
        for (byte, expected) in zip(bytes, pattern) {
            guard expected == UInt8(ascii: "0") ? XMLCursor.isDigit(byte) : byte == expected else { return nil }
        }
        var rest = bytes[pattern.count...]
        var fraction = 0.0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: XMLCursor.isDigit)
            guard !digits.isEmpty else { return nil }
            fraction = Double("0." + String(decoding: digits, as: UTF8.self)) ?? 0
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = offset(String(decoding: rest, as: UTF8.self)[...], separator: ":"),
            let seconds = seconds(
                number(bytes[0..<4]), number(bytes[5..<7]), number(bytes[8..<10]), number(bytes[11..<13]),
                number(bytes[14..<16]), number(bytes[17..<19]))
        else { return nil }
        return Date(timeIntervalSinceReferenceDate: Double(seconds - offset) + fraction)
    }

    /// `Sat, 07 Sep 2002 00:00:01 GMT`, as in mail (RFC 5322, sections 3.3 and 4.3), RSS and WebDAV. The day of the
    /// week and the seconds are optional. The year can have two digits, and the offset can be `+0100`.
    static func mail(_ text: Substring) -> Date? {
        guard text.utf8.count <= maximumLength else { return nil }
        var words = text.split(whereSeparator: \.isWhitespace)[...]
        if words.first?.hasSuffix(",") == true { words.removeFirst() }
        guard words.count == 5 else { return nil }
        let parts = Array(words)
        let clock = parts[3].split(separator: ":", omittingEmptySubsequences: false)
        guard let day = number(parts[0], digits: 1...2), let month = HTTPDate.months.firstIndex(of: String(parts[1])),
            let year = year(parts[2]), (2...3).contains(clock.count), let hour = number(clock[0], digits: 2...2),
            let minute = number(clock[1], digits: 2...2),
            let second = clock.count == 3 ? number(clock[2], digits: 2...2) : 0,
            let offset = zones[String(parts[4])].map({ $0 * 3_600 }) ?? offset(parts[4], separator: ""),
            let seconds = seconds(year, month + 1, day, hour, minute, second)
        else { return nil }
        return Date(timeIntervalSinceReferenceDate: Double(seconds - offset))
    }

    /// The seconds since 2001-01-01 in the Gregorian calendar and Coordinated Universal Time; nil if there is no such
    /// time in the years 1 to 9999.
    private static func seconds(
        _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int
    ) -> Int? {
        guard (1...9_999).contains(year), (1...12).contains(month),
            (1...HTTPDate.days(inMonth: month, of: year)).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        // 11,323 days lie between 1970-01-01 and the reference date, 2001-01-01.
        let days = HTTPDate.days(year: year, month: month, day: day) - 11_323
        return (days * 24 + hour) * 3_600 + minute * 60 + second
    }

    /// The seconds of an offset: `Z`, or an offset such as `+01:00`, with `separator` between hours and minutes.
    private static func offset(_ text: Substring, separator: String) -> Int? {
        if text == "Z" { return 0 }
        guard text.hasPrefix("+") || text.hasPrefix("-"), let hours = number(text.dropFirst().prefix(2), digits: 2...2),
            text.dropFirst(3).hasPrefix(separator),
            let minutes = number(text.dropFirst(3 + separator.count), digits: 2...2), hours < 24, minutes < 60
        else { return nil }
        return (text.hasPrefix("-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    /// Two digits mean a year from 1950 to 2049. Three digits count from 1900 (RFC 5322, section 4.3).
    private static func year(_ text: Substring) -> Int? {
        guard let year = number(text, digits: 2...4) else { return nil }
        return text.utf8.count == 4 ? year : text.utf8.count == 2 && year < 50 ? year + 2_000 : year + 1_900
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        digits.contains(text.utf8.count) ? text.decimalNumber : nil
    }

    /// The value of at most four digits.
    private static func number(_ digits: some Sequence<UInt8>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
