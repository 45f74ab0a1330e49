/// Dates of header fields (RFC 9110, section 5.6.7). Senders must write the form `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    package static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The seconds since 1970; nil for text in another form.
    package static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let year = yearNumber(parts[3])
        else { return nil }
        return seconds(day: parts[1], month: parts[2], year: year, time: parts[4])
    }

    /// The seconds since 1970, also for the two obsolete forms: `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6
    /// 08:49:37 1994`.
    ///
    /// - Parameter now: the current time, in seconds since 1970. `now` is only called for a year of two digits: the
    ///   year is in the century from 2000, unless the date would be more than 50 years in the future; then it is in the
    ///   century from 1900.
    package static func secondsOfAnyForm(_ text: String, now: () -> Double) -> Int? {
        if let seconds = seconds(text) { return seconds }
        guard text.utf8.count <= 33 else { return nil }
        let parts = text.split(separator: " ")
        if parts.count == 5 {
            return yearNumber(parts[4]).flatMap { seconds(day: parts[2], month: parts[1], year: $0, time: parts[3]) }
        }
        guard parts.count == 4, parts[0].hasSuffix(","), parts[3] == "GMT" else { return nil }
        let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3, date[2].utf8.count == 2, let year = yearNumber(date[2]) else { return nil }
        func inCentury(_ century: Int) -> Int? {
            seconds(day: date[0], month: date[1], year: century + year, time: parts[2])
        }
        return inCentury(2000).flatMap { Double($0) - now() > 50 * 365.25 * 86_400 ? inCentury(1900) : $0 }
    }

    /// Nil if a part is outside its range, such as hour 24 or February 30 (RFC 5322, section 3.3).
    private static func seconds(day: Substring, month: Substring, year: Int, time: Substring) -> Int? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let month = months.firstIndex(of: String(month)).map({ $0 + 1 }),
            let day = number(day, in: 1...days(inMonth: month, of: year)), let hour = number(clock[0], in: 0...23),
            // 60 is a leap second.
            let minute = number(clock[1], in: 0...59), let second = number(clock[2], in: 0...60)
        else { return nil }
        return days(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    package static func days(inMonth month: Int, of year: Int) -> Int {
        let next = month == 12 ? days(year: year + 1, month: 1, day: 1) : days(year: year, month: month + 1, day: 1)
        return next - days(year: year, month: month, day: 1)
    }

    /// A number of at most two digits in the range; nil for other text.
    private static func number(_ text: Substring, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.count <= 2, let number = text.decimalNumber, range.contains(number) else { return nil }
        return number
    }

    /// A year of at most four digits; nil for other text.
    private static func yearNumber(_ text: Substring) -> Int? {
        text.utf8.count <= 4 ? text.decimalNumber : nil
    }

    /// Days since 1970-01-01 in the Gregorian calendar. The years begin in March, so that the leap day is their last.
    package static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        // 400 years are added, so that the years 0 and -1 need no division of negative numbers.
        let shifted = year + 400
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468 - 146_097
    }
}
