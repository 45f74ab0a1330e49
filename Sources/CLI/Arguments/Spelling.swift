/// Finds the word that someone probably meant.
enum Spelling {
    /// The candidate with the fewest single-character edits, if a third of the word or less has to change.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let best = candidates.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let (candidate, edits) = best, edits <= max(1, min(word.count, candidate.count) / 3), candidate.count > 2
        else { return nil }
        return candidate
    }

    /// The edit distance of Levenshtein, over the first 64 characters.
    private static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.prefix(64))
        let right = Array(right.prefix(64))
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let substituted = diagonal + (character == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
