import PatchbayPlatform
import PatchbayRegistry

/// A word of letters. Loudness is no part of what makes words equal.
struct Word: Codable, Sendable, Equatable {
    var text: String
    var isLoud = false

    static func == (left: Word, right: Word) -> Bool { left.text == right.text }
}

/// Writes a word, with a mark behind a loud one, reads it back, and misbehaves in one way where it is told to.
struct WordSerializer: DecodingSerializer, RequestSerializer {
    /// The ways to break the contract.
    enum Flaw: String, CaseIterable {
        case declinesGood, refusesGood, changesItsBytes, changesBetweenTasks, readsNothing, readsAnother,
            decodesAnother,
            forgetsTheMark, takesBad, declinesBad, changesItsError, quotesTheValue, takesOthers, changesItsReason,
            quotesInItsReason

        /// What the kit says about it.
        var issue: String {
            switch self {
            case .declinesGood: "the value 1: to be written, and declined"
            case .refusesGood: "the value 1: to be written, and refused: no"
            case .changesItsBytes: "the value 1: written twice, and to different bytes"
            case .changesBetweenTasks: "the value 1: written by tasks at the same time, and to different bytes"
            case .readsNothing: "the value 1: not read back: no"
            case .readsAnother, .decodesAnother: "the value 1: read back as another value"
            case .forgetsTheMark: "the value 1: read back and written again, and to different bytes"
            case .takesBad: "the refused value 1: to be refused, and written"
            case .declinesBad: "the refused value 1: to be refused, and declined"
            case .changesItsError: "the refused value 1: refused twice, and with different errors"
            case .quotesTheValue: "the refused value 1: quoted by the error"
            case .takesOthers: "the declined value 1: to be declined, and not declined"
            case .changesItsReason: "the declined value 1: declined twice, and for different reasons"
            case .quotesInItsReason: "the declined value 1: quoted by the reason to decline"
            }
        }
    }

    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private final class Calls: Sendable {
        let count = Guarded(0)
    }

    var flaw: Flaw?
    private let calls = Calls()

    init(_ flaw: Flaw? = nil) { self.flaw = flaw }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Word {
        let text = String(decoding: body.data, as: UTF8.self)
        switch flaw {
        case .readsNothing: throw Refusal(description: "no")
        case .readsAnother: return Word(text: text + "s")
        default: return Word(text: text.filter { $0 != "!" }, isLoud: text.hasSuffix("!") && flaw != .forgetsTheMark)
        }
    }

    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        let word = flaw == .decodesAnother ? Word(text: "another") : try serialize(body, head)
        guard let value = word as? Value else { throw Refusal(description: "no such type") }
        return value
    }

    func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
        switch (value as? Word, flaw) {
        case (let word?, .declinesGood): word.text.allSatisfy(\.isLetter) ? "no" : nil
        case (let word?, .declinesBad): word.text.allSatisfy(\.isLetter) ? nil : "no"
        case (_?, _), (nil, .takesOthers): nil
        case (nil, .changesItsReason): "it writes words, call \(counted())"
        case (nil, .quotesInItsReason): "it writes words, and not \(value)"
        case (nil, _): "it writes words"
        }
    }

    func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        guard let word = value as? Word, flaw != .refusesGood else { throw Refusal(description: "no") }
        let call = counted()
        guard word.text.allSatisfy(\.isLetter) || flaw == .takesBad else {
            switch flaw {
            case .quotesTheValue: throw Refusal(description: "bad: \(word.text)")
            case .changesItsError: throw Refusal(description: "bad \(call)")
            default: throw Refusal(description: "bad")
            }
        }
        // The first two calls are made one after the other.
        let mark = flaw == .changesItsBytes || flaw == .changesBetweenTasks && call > 2 ? "\(call)" : ""
        return Data((word.text + (word.isLoud ? "!" : "") + mark).utf8)
    }

    private func counted() -> Int {
        calls.count.withLock { calls in
            calls += 1
            return calls
        }
    }
}
