import PatchbayRegistry

/// Reads lines of letters as text, and misbehaves in one way where it is told to.
struct LinesSerializer: StreamingSerializer {
    /// The ways to break the contract.
    enum Flaw: String, CaseIterable {
        case forgetsWhatItHolds, givesTheLineEnd, refusesGood, takesBad, refusesEmptyPieces, looksAtPieces, hasNoLimit,
            hasAnEarlyLimit, hasALateLimit, hidesTheReadersError, changesTheReadersError, cannotCountFar

        /// What the kit says about it.
        var issue: String {
            switch self {
            case .forgetsWhatItHolds: "the sample \"good\": it gives something else when it is cut at [1, 1]"
            case .givesTheLineEnd: "the sample \"good\": it has 3 elements, and others were given: 3"
            case .refusesGood: "the sample \"good\": it is good, and was refused: refused"
            case .takesBad: "the sample \"bad\": it is bad, and was taken"
            case .refusesEmptyPieces: "the sample \"good\": it gives something else when it is cut at [0, 0]"
            case .looksAtPieces:
                "the sample \"good\": damaged, it gives something else byte by byte than in one piece: "
            case .hasNoLimit: "the sample \"unfinished\": its element may have 2048 bytes, and 8192 were taken"
            case .hasAnEarlyLimit:
                "the sample \"unfinished\": its element may have 2048 bytes, and was refused after 101"
            case .hasALateLimit:
                "the sample \"unfinished\": its element may have 2048 bytes, and 6115 were taken before it was refused"
            case .hidesTheReadersError: "the sample \"good\": the error of its reader was lost"
            case .changesTheReadersError:
                "the sample \"good\": the error of its reader came out as another one: refused"
            case .cannotCountFar:
                "the sample \"unfinished\": its element may have 8388608 bytes, and was refused after 100001"
            }
        }
    }

    struct Refusal: Error, CustomStringConvertible {
        var description: String { "refused" }
    }

    struct Parser: ElementParser {
        let limit: Int
        let flaw: Flaw?
        private var line: [UInt8] = []
        private var count = 0

        init(_ limit: Int, _ flaw: Flaw?) {
            self.limit = limit
            self.flaw = flaw
        }

        mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
            if flaw == .forgetsWhatItHolds { line = [] }
            if flaw == .refusesEmptyPieces, bytes.isEmpty { throw Refusal() }
            for index in bytes.indices {
                let byte = bytes[index]
                count += 1
                if flaw == .looksAtPieces, byte >= 0x80, bytes.count > 1 { continue }
                if flaw == .cannotCountFar, count > 100_000 { throw Refusal() }
                guard byte == UInt8(ascii: "\n") else {
                    guard byte >= UInt8(ascii: "a") || byte == UInt8(ascii: "!") || flaw == .takesBad else {
                        throw Refusal()
                    }
                    let most =
                        flaw == .hasAnEarlyLimit
                        ? limit / 64 : flaw == .hasALateLimit && limit < 1 << 20 ? limit * 3 - 80 : limit
                    guard line.count < most || flaw == .hasNoLimit else { throw ElementLimitFailure(limit: limit) }
                    line.append(byte)
                    continue
                }
                try give(flaw == .givesTheLineEnd ? line + [byte] : line, emit)
                line = []
            }
        }

        mutating func finish(emit: (String) throws -> Void) throws {
            if flaw == .refusesGood { throw Refusal() }
            if !line.isEmpty { try give(line, emit) }
        }

        private func give(_ line: [UInt8], _ emit: (String) throws -> Void) throws {
            do {
                try emit(String(decoding: line, as: UTF8.self))
            } catch {
                switch flaw {
                case .hidesTheReadersError: return
                case .changesTheReadersError: throw Refusal()
                default: throw error
                }
            }
        }
    }

    var flaw: Flaw?

    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser { Parser(maximumElementBytes, flaw) }
}
