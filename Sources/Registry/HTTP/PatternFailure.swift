package import PatchbayJSON

/// The reason that the text of a pattern (a media range, a status notation, a host pattern) is invalid.
package struct PatternFailure: Error, Sendable, Hashable {
    /// The fault in plain words, with the pattern.
    package let reason: String
    package let suggestion: String?

    /// - Parameter suggestion: the nearest valid pattern, if there is one.
    package init(_ reason: String, suggestion: String? = nil) {
        self.reason = reason
        self.suggestion = suggestion
    }

    /// The longest allowed pattern, in UTF-8 bytes.
    package static let maximumLength = 256

    /// Refuses a pattern over the length limit before it is read.
    package static func checkLength(of pattern: String) throws(PatternFailure) {
        let length = pattern.utf8.count
        guard length > maximumLength else { return }
        throw PatternFailure("the pattern is \(length) bytes long and \(maximumLength) are allowed")
    }
}

extension PatternFailure: FormatFault {
    package var formatFailure: FormatFailure {
        FormatFailure(self, "pattern", .malformed, description)
    }
}

extension PatternFailure: CustomStringConvertible {
    package var description: String {
        if let suggestion { "\(reason); did you mean \"\(suggestion)\"?" } else { reason }
    }
}

/// Finds the word that was probably meant.
package enum Spelling {
    /// The candidate with the fewest edits from `word`; nil if more than a third of the letters differ. If all differ by
    /// more, the one candidate that has `word` as its first words: `csv-rows` for `csv`.
    ///
    /// Case is ignored. Of equally near candidates the first wins.
    package static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
        let word = Array(word.lowercased().utf8.prefix(64))
        let beginning = word + [UInt8(ascii: "-")]
        var longer: [String] = []
        var best: (candidate: String, edits: Int)?
        for candidate in candidates {
            let letters = Array(candidate.lowercased().utf8.prefix(64))
            if letters.starts(with: beginning) { longer.append(candidate) }
            let edits = distance(word, letters)
            guard edits <= max(word.count, letters.count) / 3, edits < best?.edits ?? .max else { continue }
            best = (candidate, edits)
        }
        return best?.candidate ?? (longer.count == 1 ? longer.first : nil)
    }

    /// The number of edits that turn one word into the other: insert, delete, replace, swap neighbours ("optimal string
    /// alignment").
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var above = Array(0...right.count)
        var beforeAbove = above
        for (line, letter) in left.enumerated() {
            var row = [line + 1]
            for (column, other) in right.enumerated() {
                var edits = min(above[column] + (letter == other ? 0 : 1), above[column + 1] + 1, row[column] + 1)
                if line > 0, column > 0, letter == right[column - 1], other == left[line - 1] {
                    edits = min(edits, beforeAbove[column - 1] + 1)
                }
                row.append(edits)
            }
            (beforeAbove, above) = (above, row)
        }
        return above[right.count]
    }
}
