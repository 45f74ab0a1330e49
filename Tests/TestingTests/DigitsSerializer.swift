import PatchbayPlatform
import PatchbayRegistry

/// Reads digits as numbers, and misbehaves in one way where it is told to.
struct DigitsSerializer: DecodingSerializer {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    var flaw: Flaw?
    private let calls = Calls()

    private final class Calls: Sendable {
        let count = Guarded(0)
    }

    init(_ flaw: Flaw? = nil) { self.flaw = flaw }

    var acceptsEmptyBody: Bool { flaw == .refusesEmpty }

    func declineReason(_ head: ResponseHead) -> String? { flaw == .declinesGood ? "no" : nil }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [Int] {
        let call = calls.count.withLock { calls -> Int in
            calls += 1
            return calls
        }
        let digits = body.data.compactMap { Character(Unicode.Scalar($0)).wholeNumberValue }
        guard digits.count == body.count else {
            switch flaw {
            case .takesBad: return digits
            case .quotesTheBody: throw Refusal(description: "bad: \(String(decoding: body.data, as: UTF8.self))")
            case .changesItsError: throw Refusal(description: "bad \(call)")
            default: throw Refusal(description: "bad")
            }
        }
        switch flaw {
        case .changesItsAnswer: return [call]
        // The first three calls are made one after the other.
        case .changesBetweenTasks where call > 3: return [call]
        case .writesToTheBody: write(1, to: body, at: 0)
        case .writesBehindTheBody: write(1, to: body, at: body.count)
        case .refusesGood: throw Refusal(description: "no")
        case .refusesEmpty where body.isEmpty: throw Refusal(description: "no")
        default: break
        }
        return digits
    }

    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        guard let value = try serialize(body, head).first as? Value else { throw Refusal(description: "no such type") }
        return value
    }

    private func write(_ byte: UInt8, to body: ResponseBody, at offset: Int) {
        body.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            UnsafeMutableRawPointer(mutating: base).storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
    }
}
