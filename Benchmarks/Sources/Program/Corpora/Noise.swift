/// The same numbers in every run: SplitMix64.
struct Noise: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func isTrue() -> Bool { next() & 1 == 0 }

    /// A text of several scripts, with what JSON escapes.
    mutating func text(words count: Int) -> String {
        (0..<count).map { _ in Self.words[number(0...Self.words.count - 1)] }.joined(separator: " ")
    }

    private static let words = [
        "a", "of", "the", "weather", "station", "Grüße", "naïve", "東京", "よろしく", "привет", "\\n", "\\\"so\\\"",
        "\\u00e9t\\u00e9",
        "😀", "http:\\/\\/example.com\\/a", "interesting", "42", "reply", "@someone", "#topic",
    ]
}
