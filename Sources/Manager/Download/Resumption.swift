import PatchbayCodings
import PatchbayRegistry

/// The use of a response for a call that can have a part of the file already.
enum Resumption: Sendable {
    /// The whole content: a part file is written from the start.
    case whole
    /// The bytes of the file from `start` up to `end`; the whole file has `length` bytes.
    case append(at: Int, end: Int, length: Int)
    /// The server does not give the rest of the file, so another attempt asks for the whole file.
    case beginAgain(SessionError)
    /// The call can't use the response.
    case fail(SessionError)

    /// The reason that the body is not received; nil if it is.
    var refusal: SessionError? {
        switch self {
        case .whole, .append: nil
        case .beginAgain(let error), .fail(let error): error
        }
    }

    /// Judges an acceptable response, or one of status 416, by its head.
    /// - Parameter part: the interrupted download that the call continues; nil for any other call.
    static func judge(_ head: ResponseHead, _ part: DownloadResumption?) -> Resumption {
        if head.status == 206, head.request.fields["Range"] == nil, ContentRange(head.fields)?.isWhole == false {
            return .fail(SessionError(.unaskedPart))
        }
        // With status 200, the server has another version of the file now, or does not support ranges.
        guard let part, head.status != 200 else { return .whole }
        do throws(Refusal) {
            guard head.status == 206 else { throw Refusal("the status is \(head.status), neither 206 nor 200") }
            let (end, length) = try part.check(head)
            return .append(at: part.start, end: end, length: length)
        } catch {
            let error = SessionError(resuming: error)
            return 200..<300 ~= head.status || head.status == 416 ? .beginAgain(error) : .fail(error)
        }
    }

    /// Whether an attempt that asked for the rest of a file failed because the server does not give it: by its head, or
    /// because its body was longer than its range.
    static func beginsAgain(after failure: SessionError, _ part: DownloadResumption) -> Bool {
        if case .beginAgain? = failure.head.map({ judge($0, part) }) { return true }
        return failure.cause as? TransportFailure == .excessOfRange
    }
}

extension DownloadResumption {
    /// Checks that a response of status 206 is the missing part of the file (RFC 9110, section 15.3.7).
    /// - Returns: the end of its range, and the length of the whole file.
    fileprivate func check(_ head: ResponseHead) throws(Refusal) -> (end: Int, length: Int) {
        guard !head.fields.hasContentCoding else { throw Refusal("the response has a content coding") }
        // RFC 9110, section 8.8.1: validators of different resources can be equal by chance.
        guard Self.source(head.url) == source else {
            throw Refusal("the response comes from another URL than the bytes before, by a redirect")
        }
        guard let range = ContentRange(head.fields), range.first == start else {
            throw Refusal("the response has no Content-Range that begins at byte \(start)")
        }
        guard validator.agrees(with: head.fields) else {
            throw Refusal("the response is of another version: its \(validator.name) is missing or differs")
        }
        guard let length = range.complete ?? expectedBytes, length == expectedBytes ?? length, range.last < length
        else {
            throw Refusal("the response does not say the length of the file, or another than before")
        }
        return (range.last + 1, length)
    }
}

/// The range of a response with status 206 (RFC 9110, section 14.4).
struct ContentRange: Hashable {
    let first: Int
    let last: Int
    /// The length of the whole file; nil if the server does not give it.
    let complete: Int?

    /// Whether the range is the whole file.
    var isWhole: Bool { first == 0 && complete.map { last == $0 - 1 } ?? false }

    /// Returns nil unless there is exactly one field, `bytes first-last/complete`, with `first` ≤ `last` < `complete`.
    init?(_ fields: HeaderFields) {
        let values = fields.values(for: "Content-Range")
        guard values.count == 1, let words = values.first?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bytes"
        else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).compactMap(\.decimalNumber)
        guard ends.count == 2, ends[0] <= ends[1] else { return nil }
        (first, last) = (ends[0], ends[1])
        guard halves[1] != "*" else {
            complete = nil
            return
        }
        guard let length = halves[1].decimalNumber, last < length else { return nil }
        complete = length
    }
}
