import PatchbayPlatform

/// The two directions of `CodingOptions.Keys.snakeCase`, with the results of Foundation's coders.
package enum SnakeCase {
    /// `some_name` → `someName`. Underscores at the start and at the end stay, and a key of one word is unchanged.
    static func camelCased(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else {
            return key
        }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1, let head = words.first else { return key }
        let body = words.dropFirst().reduce(into: head.lowercased()) { $0 += capitalized($1) }
        return key[..<first] + body + key[key.index(after: last)...]
    }

    /// `someName` → `some_name`, `someURLName` → `some_url_name`.
    ///
    /// A word starts at a capital letter after another character, and at the last capital letter of several before a
    /// lower-case letter.
    package static func snakeCased(_ key: String, separator: String = "_") -> String {
        let letters = Array(key)
        var words: [ArraySlice<Character>] = []
        var wordStart = 0
        var searchStart = 1
        while let capital = letters.dropFirst(searchStart).firstIndex(where: isCapital) {
            words.append(letters[wordStart..<capital])
            wordStart = capital
            guard let small = letters[capital...].firstIndex(where: isSmall) else { break }
            if small > capital + 1 {
                words.append(letters[capital..<small - 1])
                wordStart = small - 1
            }
            searchStart = small + 1
        }
        words.append(letters[wordStart...])
        return words.map { String($0).lowercased() }.joined(separator: separator)
    }

    /// A cased letter at the start of a word becomes a title-case letter; a capital letter stays as it is. The cased
    /// letters after it become lower-case letters. A character without case ends the word, unless it `isPartOfWord`.
    private static func capitalized(_ word: Substring) -> String {
        var result = ""
        var followsLetter = false
        for scalar in word.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .titlecaseLetter:
                result += followsLetter ? scalar.properties.lowercaseMapping : String(scalar)
                followsLetter = true
            case .lowercaseLetter:
                result += followsLetter ? String(scalar) : scalar.properties.titlecaseMapping
                followsLetter = true
            default:
                result.unicodeScalars.append(scalar)
                followsLetter = followsLetter && isPartOfWord(scalar)
            }
        }
        return result
    }

    /// Marks and apostrophes do not end a word. Other punctuation does, even a dot and a colon, which Unicode calls
    /// case-ignorable.
    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .otherPunctuation, .initialPunctuation: scalar == "'"
        default: scalar.properties.isCaseIgnorable
        }
    }

    private static func isCapital(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        let category = scalar.properties.generalCategory
        return category == .uppercaseLetter || category == .titlecaseLetter
    }

    private static func isSmall(_ character: Character) -> Bool {
        character.unicodeScalars.first?.properties.generalCategory == .lowercaseLetter
    }
}
