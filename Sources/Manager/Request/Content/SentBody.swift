import PatchbayPlatform
import PatchbayRegistry

/// The body of one exchange as its transport reads it. It pauses while the task is suspended, enforces the announced
/// length, and keeps the error of the source: a transport reports only that reading failed.
final class SentBody: RequestBodySource {
    let length: Int64?
    private let source: any RequestBodySource
    private let task: SessionTask
    /// Whether the request announces trailer fields.
    private let announcesTrailers: Bool
    /// Only calls of the transport change this value. The lock is never held while the source is read.
    private let guarded: Guarded<ExactLength?>
    private let thrown = Guarded<(any Error)?>(nil)
    private let isRewound = Guarded(false)

    /// Nil for bytes in memory whose sending can't be paused: the transport reads such bytes directly.
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

    /// The error of the body; nil if it has not failed.
    ///
    /// If the connection is lost before the response begins, a transport rewinds the body to send the request again on
    /// another connection. If the body cannot be sent twice, the reported error is the lost connection.
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

/// A placeholder for a streamed body, in the task and for signers. It has the length of the body, but not its bytes.
final class ConsumedSource: RequestBodySource {
    let length: Int64?

    init(length: Int64?) { self.length = length }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        throw ContentFailure(.streamed, "a body that is streamed can be read only while it is sent")
    }

    func rewind() {}
}
