import PatchbayPlatform
import PatchbayRegistry

/// The body of one exchange as its transport reads it: held while its task is suspended, exactly as long as it was announced, and
/// its failure kept, of which a transport tells no more than that there was one.
final class SentBody: RequestBodySource {
    let length: Int64?
    private let source: any RequestBodySource
    private let task: SessionTask
    /// Whether the request announces fields behind the body.
    private let announcesTrailers: Bool
    /// Only the one who reads changes it; the lock is never held while the source is asked.
    private let guarded: Guarded<ExactLength?>
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
        guarded = Guarded(Self.exactly(length))
    }

    private static func exactly(_ length: Int64?) -> ExactLength? { length.map { ExactLength($0, of: "the content") } }

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
            guard var guarded = guarded.withLock({ $0 }) else { return try next(into: buffer) }
            let piece = try guarded.read(into: buffer, from: next)
            self.guarded.withLock { [guarded] in $0 = guarded }
            return piece
        } catch {
            thrown.replace(by: error)
            throw error
        }
    }

    func rewind() throws {
        isRewound.withLock { $0 = true }
        do {
            try source.rewind()
        } catch {
            thrown.replace(by: error)
            throw error
        }
        guarded.withLock { $0 = Self.exactly(length) }
    }

    private func next(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let piece = try source.read(into: buffer)
        if case .end(let trailers) = piece, !trailers.isEmpty, !announcesTrailers {
            throw ContentFailure(.invalidTrailer, "a field behind it was not announced")
        }
        return piece
    }
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
