/// Finds what somebody probably meant to write.
package enum Spelling {
    /// The candidate with the fewest edits from `word`, or nil where none is near: more than a third of the letters differ.
    ///
    /// Case is ignored; of equally near candidates the first wins.
    package static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
        let word = Array(word.lowercased().utf8.prefix(64))
        var best: (candidate: String, edits: Int)?
        for candidate in candidates {
            let letters = Array(candidate.lowercased().utf8.prefix(64))
            let edits = distance(word, letters)
            guard edits <= max(word.count, letters.count) / 3, edits < best?.edits ?? .max else { continue }
            best = (candidate, edits)
        }
        return best?.candidate
    }

    /// The edits (insert, delete, replace) that turn one word into the other: Levenshtein's distance, one row at a time.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (line, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
