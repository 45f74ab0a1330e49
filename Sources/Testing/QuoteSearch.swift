import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// Determines whether the error for a refused body quotes the body, however short the quote is.
///
/// The error and the body can have a text in common by chance. So one letter or digit of the body is changed, and the
/// body is refused again. A quote changes in the same way as the body; the error's own words don't change.
struct QuoteSearch {
    /// The error for a body; nil if the body is accepted.
    let refusal: ([UInt8]) -> (any Error)?

    func finds(in body: [UInt8]) -> Bool {
        guard let error = refusal(body) else { return false }
        let texts = Self.texts(of: error)
        return Self.places(body, texts).contains { place in
            let change = Change(body: body, place: place, other: Self.other(body[place]))
            guard let error = refusal(change.changed) else { return false }
            let changed = Self.texts(of: error)
            return texts.contains { way, text in changed[way].map { change.isQuoted(text, $0) } ?? false }
        }
    }

    /// The texts of an error, by the way to print it. Keys don't count as quotes, because the path of keys locates the
    /// fault.
    static func texts(of error: any Error) -> [String: String] {
        switch error {
        case is DecodingError, is EncodingError: return ["print": "\(FailureReason(error, isPlaced: false))"]
        case is JSON.UnknownKeysFailure: return [:]
        case let error as JSON.ParseFailure where error.reason == .duplicateKey: return [:]
        case let error as ElementFailure: return error.cause.map(texts) ?? ["print": error.description]
        case let error as FormatFailure:
            if let cause = error.cause as? DecodingError, "\(FailureReason(cause))" == error.reason { return [:] }
            return ["print": error.description, "reason": error.reason]
        case let error as any SafeToPrint:
            let path = error.description.firstRange(of: " at /")?.lowerBound
            return ["print": String(error.description[..<(path ?? error.description.endIndex)])]
        default:
            var texts = ["print": "\(error)", "debugPrint": String(reflecting: error)]
            texts["localizedDescription"] = (error as? any LocalizedError)?.errorDescription
            return texts
        }
    }

    /// The indices of the bytes that are changed: letters, digits and bytes that are not ASCII, because all other
    /// characters can be the structure of the body. If the body has no letters or digits, all indices. In a long body,
    /// only indices at which four bytes begin that also occur in the error, and indices at regular distances.
    private static func places(_ body: [UInt8], _ texts: [String: String]) -> [Int] {
        let isOfWords = body.contains { FieldByte.isLetterOrDigit($0) }
        let places = body.indices.filter { !isOfWords || FieldByte.isLetterOrDigit(body[$0]) || body[$0] >= 0x80 }
        // The limit keeps a body of a megabyte from taking minutes.
        let most = min(512, max(16, (1 << 25) / max(1, body.count)))
        guard places.count > most else { return places }
        let length = 4
        var pieces: Set<[UInt8]> = []
        for text in texts.values {
            let bytes = Array(text.utf8)
            for start in bytes.indices.dropLast(length - 1) { pieces.insert(Array(bytes[start..<start + length])) }
        }
        let near = places.filter { pieces.contains(Array(body[$0...].prefix(length))) }
        let step = places.count / most + 1
        return near.prefix(most) + near.suffix(most)
            + stride(from: 0, to: places.count, by: step).map { places[$0] }
    }

    /// Another byte of the same kind: a letter for a letter, a digit for a digit, and a non-ASCII byte for a non-ASCII
    /// byte.
    private static func other(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "z"), UInt8(ascii: "Z"), UInt8(ascii: "9"), UInt8(ascii: "~"): byte - 1
        case _ where FieldByte.isLetterOrDigit(byte): byte + 1
        case UInt8(ascii: "!")...UInt8(ascii: "~"): UInt8(ascii: "~")
        default: byte ^ 1
        }
    }
}

/// The change of one byte of a body.
private struct Change {
    let body: [UInt8]
    let place: Int
    let other: UInt8

    var changed: [UInt8] {
        var changed = body
        changed[place] = other
        return changed
    }

    /// - Parameters:
    ///   - text: the text of the error for the body.
    ///   - changed: the text of the error for the changed body.
    func isQuoted(_ text: String, _ changed: String) -> Bool {
        guard text != changed else { return false }
        let (one, two) = (Array(text.utf8), Array(changed.utf8))
        return isQuoted(one, two) || isQuotedInNumbers(text, changed)
    }

    /// Whether the texts differ only in the changed byte. A digit or a mark can be in both texts because no other
    /// character fits there. So a changed digit or mark counts only if it is the whole body, or together with other
    /// characters.
    private func isQuoted(_ text: [UInt8], _ changed: [UInt8]) -> Bool {
        guard text.count == changed.count else { return false }
        let differing = text.indices.filter { text[$0] != changed[$0] }
        let isReplaced = differing.allSatisfy { index in
            FieldByte.lowercased(text[index]) == FieldByte.lowercased(body[place])
                && FieldByte.lowercased(changed[index]) == FieldByte.lowercased(other)
        }
        guard isReplaced, body[place] < 0x80, !Self.isLetter(body[place]) else { return isReplaced }
        return differing.contains { index in
            let run = wordAround(index, in: text)
            return run >= 4 || run == body.count { !Self.isBlank($0) }
        }
    }

    /// The length of the run of bytes without blanks that the body and a text have in common around the byte.
    private func wordAround(_ index: Int, in text: [UInt8]) -> Int {
        func length(_ step: Int) -> Int {
            var distance = 0
            while body.indices.contains(place + distance + step), text.indices.contains(index + distance + step),
                !Self.isBlank(body[place + distance + step]),
                FieldByte.lowercased(body[place + distance + step])
                    == FieldByte.lowercased(text[index + distance + step])
            {
                distance += step
            }
            return abs(distance)
        }
        return length(-1) + 1 + length(1)
    }

    /// Whether the text quotes the byte and a neighbour as numbers, decimal or hexadecimal.
    private func isQuotedInNumbers(_ text: String, _ changed: String) -> Bool {
        let (text, changed) = (text.lowercased(), changed.lowercased())
        return [place - 1, place].contains { start in
            guard start >= 0, start + 1 < body.count else { return false }
            let pairs = zip(
                Self.written(Array(body[start...(start + 1)])), Self.written(Array(self.changed[start...(start + 1)])))
            return pairs.contains { text.contains($0) && changed.contains($1) && !text.contains($1) }
        }
    }

    private static func written(_ bytes: [UInt8]) -> [String] {
        [bytes.map { "\($0)" }.joined(separator: ", "), bytes.map { String($0, radix: 16) }.joined()]
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        FieldByte.isLetterOrDigit(byte) && byte > UInt8(ascii: "9")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") }
}
