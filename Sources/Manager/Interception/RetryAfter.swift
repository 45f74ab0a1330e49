import PatchbayRegistry

/// When a server wants to be asked again (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// In how many seconds, 0 for a date that is over; of several fields the latest. Nil where none can be read.
    ///
    /// - Parameter now: the seconds since 1970, asked where there is a date and the response does not say when it was sent.
    static func seconds(_ fields: HeaderFields?, now: () -> Double) -> Double? {
        guard let fields else { return nil }
        return fields.values(for: "Retry-After").compactMap { value -> Double? in
            if let seconds = seconds(value) { return seconds }
            guard let date = HTTPDate.secondsOfAnyForm(value, now: now) else { return nil }
            // Its own clock and ours may differ.
            let sent = fields["Date"].flatMap { HTTPDate.secondsOfAnyForm($0, now: now) }
            return max(Double(date) - (sent.map(Double.init) ?? now()), 0)
        }.max()
    }

    /// However many digits there are: a number that is too large for any type is as good as for ever.
    private static func seconds(_ value: String) -> Double? {
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Double(value)
    }
}
