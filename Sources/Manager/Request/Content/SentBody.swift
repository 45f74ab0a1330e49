import PatchbayPlatform
import PatchbayRegistry

/// The body of one exchange as its transport reads it. It pauses while the task is suspended, enforces the announced
/// length, and keeps the error of the source: a transport reports only that reading failed.
final class SentBody: RequestBodySource {
    private struct State {
        /// Counts the bytes of a body of announced length. Only calls of the transport change it.
        var exact: ExactLength?
        var thrown: (any Error)?
        var isRewound = false
        /// The number of bytes that were read since the last rewinding.
        var count: Int64 = 0
    }

    let length: Int64?
    private let source: any RequestBodySource
    private let task: SessionTask
    /// Hears of the end of the source.
    private let exchange: Exchange?
    /// Whether the request announces trailer fields.
    private let announcesTrailers: Bool
    /// The lock is never held while the source is read.
    private let state: Guarded<State>

    /// Nil for bytes in memory whose sending can't be paused: the transport reads such bytes directly.
    init?(_ body: RequestBody, to head: RequestHead, of task: SessionTask, in exchange: Exchange? = nil) {
        switch body {
        case .source(let source): self.source = source
        case .data(let data):
            guard task.pausesBodies else { return nil }
            source = MultipartSource(data)
        }
        (self.task, self.exchange) = (task, exchange)
        announcesTrailers = head.fields["Trailer"] != nil
        length = source.length
        state = Guarded(State(exact: Self.exactly(length)))
    }

    private static func exactly(_ length: Int64?) -> ExactLength? { length.map { ExactLength($0, of: "the content") } }

    /// The error of the body; nil if it has not failed.
    ///
    /// If the connection is lost before the response begins, a transport rewinds the body to send the request again on
    /// another connection. If the body cannot be sent twice, the reported error is the lost connection.
    var failure: SessionError? {
        let (thrown, isRewound) = state.withLock { ($0.thrown, $0.isRewound) }
        guard let thrown else { return nil }
        let isLost = isRewound && (thrown as? ContentFailure)?.code == .alreadySent
        return isLost ? SessionError(.lostUnrepeatable) : SessionError(unreadableContent: thrown)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        if let suspension = task.suspension { return .wait(suspension) }
        return try noting {
            guard var exact = state.withLock(\.exact) else { return try next(into: buffer) }
            let piece = try exact.read(into: buffer, from: next)
            state.withLock { [exact] in $0.exact = exact }
            return piece
        }
    }

    func rewind() throws {
        state.withLock { $0.isRewound = true }
        try noting { try source.rewind() }
        state.withLock { ($0.exact, $0.count) = (Self.exactly(length), 0) }
    }

    /// Keeps the error of the work.
    private func noting<Made>(_ work: () throws -> Made) throws -> Made {
        do {
            return try work()
        } catch {
            state.letGo { state in
                let dropped = state.thrown
                state.thrown = error
                return dropped
            }
            throw error
        }
    }

    private func next(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let piece = try source.read(into: buffer)
        switch piece {
        case .bytes(let count): state.withLock { $0.count &+= Int64(count) }
        case .wait: break
        case .end(let trailers):
            guard trailers.isEmpty || announcesTrailers else {
                throw ContentFailure(.invalidTrailer, "a field behind it was not announced")
            }
            exchange?.sourceEnded(after: state.withLock(\.count))
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
