import PatchbayPlatform
import Synchronization

/// The text of a document up to the last number with more digits than a Double: a copy, so that the value does not
/// depend on the parsed bytes.
///
/// Few programs need such digits, so the numbers are located in the text only when one is first needed.
///
/// `@unchecked Sendable`: it wraps a block of memory that only `init` writes, and that is read-only afterwards.
final class NumberTexts: @unchecked Sendable {
    private let memory: TapeMemory
    private let count: Int
    /// Whether the text ends at the end of the document. Otherwise the last number can be cut.
    private let isWhole: Bool
    private let places = AtomicLazyReference<Places>()

    /// The words of the numbers, in the order of the tape, and the offsets of the numbers in the text.
    private final class Places: Sendable {
        struct Place: Sendable {
            let word: UInt32
            let start: UInt32
            let length: UInt32
        }
        let all: [Place]
        init(_ all: [Place]) { self.all = all }
    }

    /// Nil if there is no memory.
    init?(_ text: UnsafeBufferPointer<UInt8>, upTo end: Int) {
        guard let source = text.baseAddress, let memory = TapeMemory.take(end) else { return nil }
        memcpy(memory.start, source, end)
        self.memory = memory
        count = end
        isWhole = end == text.count
    }

    deinit { memory.giveBack() }

    /// The text of the number at a word of the tape that was filled from the document; nil if its Double has all
    /// digits.
    func text(at word: Int, in tape: Tape) -> UnsafeRawBufferPointer? {
        let all = found(in: tape).all
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if Int(all[middle].word) == word { return text(all[middle]) }
            if Int(all[middle].word) < word { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// The texts of all numbers in a range of words that have more digits than their Double.
    func texts(in tape: Tape, _ words: Range<Int>) -> [(word: Int, text: UnsafeRawBufferPointer)] {
        found(in: tape).all.filter { words.contains(Int($0.word)) }.map { (Int($0.word), text($0)) }
    }

    private func text(_ place: Places.Place) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory.start + Int(place.start), count: Int(place.length))
    }

    private func found(in tape: Tape) -> Places {
        if let places = places.load() { return places }
        let source = SourceText(bytes: UnsafeRawBufferPointer(start: memory.start, count: count))
        var all: [Places.Place] = []
        source.forEachToken(of: tape) { word, token in
            guard tape.tag(at: word) == Tag.double, isWhole || token.upperBound < count,
                token.count <= LongNumber.longestText, LongNumber.isLong(source.bytes[token])
            else { return true }
            all.append(
                Places.Place(
                    word: UInt32(truncatingIfNeeded: word), start: UInt32(truncatingIfNeeded: token.lowerBound),
                    length: UInt32(truncatingIfNeeded: token.count)))
            return true
        }
        // Racing threads compute the same value; the first store wins.
        return places.storeIfNil(Places(all))
    }
}
