import PatchbayPlatform
import PatchbayRegistry

/// The body of one exchange as its transport reads it: held while its task is suspended, exactly as long as it was announced, and
/// its failure kept, of which a transport tells no more than that there was one.
final class SentBody: RequestBodySource {
    private struct Place: Sendable {
        /// The bytes that the source has given.
        var offset: Int64 = 0
        /// The last of them, held back until it is known that no other follows.
        var last: UInt8?
        /// The fields behind the last byte, once that is known.
        var trailers: HeaderFields?
    }

    let length: Int64?
    private let source: any RequestBodySource
    private let task: SessionTask
    /// Whether the request announces fields behind the body.
    private let announcesTrailers: Bool
    /// Only the one who reads changes it; the lock is never held while the source is asked.
    private let place = Guarded(Place())
    private let thrown = Guarded<(any Error)?>(nil)
    private let isRewound = Guarded(false)

    /// Nil where there is nothing to watch over: bytes at hand that cannot be paused.
    init?(_ body: RequestBody, to head: RequestHead, of task: SessionTask) {
        switch body {
        case .source(let source): self.source = source
        case .data(let data):
            guard task.request.holdsBodies else { return nil }
            source = DataSource(data)
        }
        self.task = task
        announcesTrailers = head.fields["Trailer"] != nil
        length = source.length
    }

    /// Why the exchange could not have the body; nil so far.
    ///
    /// A transport goes back to the first byte where the connection was lost before the response began, to send the request again on
    /// another. A body that cannot be sent twice is then not what went wrong: the lost connection is.
    var failure: SessionError? {
        guard let error = thrown.withLock({ $0 }) else { return nil }
        let isLost = (error as? ContentFailure)?.code == .alreadySent && isRewound.withLock { $0 }
        return isLost ? SessionError(.lostUnrepeatable) : SessionError(unreadableContent: error)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        if let pause = task.pause() { return .wait(pause) }
        do {
            guard let length else { return try next(into: buffer) }
            var place = place.withLock { $0 }
            let piece = try read(length, &place, into: buffer)
            self.place.withLock { [place] in $0 = place }
            return piece
        } catch {
            thrown.replace(by: error)
            throw error
        }
    }

    func rewind() throws {
        isRewound.withLock { $0 = true }
        try source.rewind()
        place.withLock { $0 = Place() }
    }

    private func next(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let piece = try source.read(into: buffer)
        if case .end(let trailers) = piece, !trailers.isEmpty, !announcesTrailers {
            throw ContentFailure(.invalidTrailer, "a field behind it was not announced")
        }
        return piece
    }

    private func read(
        _ length: Int64, _ place: inout Place, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> RequestBodyPiece {
        if place.offset < length {
            let space = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: length - place.offset)))
            let piece = try next(into: space)
            switch piece {
            case .wait: return piece
            case .end: throw Self.wrongLength
            case .bytes(let count):
                place.offset += Int64(count)
                guard place.offset >= length, let last = space.prefix(count).last else { return piece }
                place.last = last
                if count > 1 { return .bytes(count - 1) }
            }
        }
        if let trailers = place.trailers { return .end(trailers: trailers) }
        // There is room for one more byte than may come.
        let piece = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try next(into: $0) }
        switch piece {
        case .wait: return piece
        case .bytes: throw Self.wrongLength
        case .end(let trailers):
            place.trailers = trailers
            guard let last = place.last else { return piece }
            buffer.copyBytes(from: CollectionOfOne(last))
            return .bytes(1)
        }
    }

    private static let wrongLength = ContentFailure(
        .wrongLength, "the content has more or fewer bytes than were announced")
}

/// What a task keeps of a source that it sends, and what signers see of it: its length.
final class ConsumedSource: RequestBodySource {
    let length: Int64?

    init(length: Int64?) { self.length = length }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        throw ContentFailure(.streamed, "a body that is streamed can be read only while it is sent")
    }

    func rewind() {}
}
