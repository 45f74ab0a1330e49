import PatchbayPlatform
package import PatchbayRegistry

/// The bytes of a body between one writer and one reader, oldest first. The number of bytes is limited, but an empty
/// pipe accepts a piece of any size. If a piece does not fit, the writer waits until at most half of the limit is used.
///
/// A pipe is a value behind the lock of its owner. It fires no signals: it notes them in `Wakes`, which the owner fires
/// after unlocking (`Guarded.waking`).
package struct BodyPipe<Failure: Error>: Sendable {
    /// Smaller pieces are joined up to this size, to keep their number low.
    package static var pieceSize: Int { 64 << 10 }

    private let limit: Int
    private var pieces = Queue<[UInt8]>()
    /// The number of bytes that were copied from the oldest piece.
    private var copied = 0
    /// The number of bytes of the last taken piece, which count until the next piece is taken.
    private var busy = 0
    /// The number of waiting bytes, plus `busy`.
    private(set) var count = 0
    /// Fires when the writer can continue; nil if the writer does not wait.
    private var room: OneShot?
    /// Fires when there is something for the reader; nil if the reader does not wait.
    private var news: OneShot?
    /// Ends the exchange that writes; nil if there is none.
    private var stop: OneShot?
    /// The trailer fields at the end of the bytes, or the failure of the writer; nil while more bytes can come.
    package private(set) var end: Result<HeaderFields, Failure>?
    /// Whether the reader takes no more bytes.
    package private(set) var isClosed = false
    /// The failure of the reader that closed the pipe; nil if it has not failed.
    private(set) var refusal: Failure?
    /// Whether a reader that has to wait is promised more bytes (`OneShot.promisesBytes`), and whether it was at first.
    private var promisesBytes: Bool
    private let promisedBytes: Bool
    /// The time at which the last wait of the writer ended.
    private var wentOn: Moment?
    /// Whether the writer waits for the reader after its last byte.
    var isAwaited = false {
        didSet { if !isAwaited { wentOn = .now } }
    }

    package init(limit: Int, promisesBytes: Bool = false) {
        self.limit = limit
        (self.promisesBytes, promisedBytes) = (promisesBytes, promisesBytes)
    }

    /// The time at which the last wait of the writer ended, or the current time during a wait; nil if the writer never
    /// waited.
    var heldUntil: Moment? { room == nil && !isAwaited ? wentOn : .now }

    // MARK: The writer

    /// Begins the bytes of an exchange, and drops those of an earlier one.
    /// - Parameter stop: ends the exchange. It fires, on any thread, if the reader closes the pipe.
    mutating func open(stop: OneShot? = nil, _ wakes: inout Wakes) {
        (wakes.room, wakes.news, wakes.dropped) = (room, news, self)
        self = BodyPipe(limit: limit, promisesBytes: promisedBytes)
        self.stop = stop
    }

    func fits(_ bytes: Int) -> Bool { count == 0 || bytes <= limit - count }

    /// Copies the bytes.
    /// - Returns: `.wait` to get the bytes again later, or `.stop` if the pipe is closed.
    package mutating func write(_ bytes: UnsafeRawBufferPointer, _ wakes: inout Wakes) -> TransportFlow {
        write(bytes, as: Array(bytes), &wakes)
    }

    /// Writes a piece, without a copy unless it is joined.
    mutating func write(_ piece: [UInt8], _ wakes: inout Wakes) -> TransportFlow {
        piece.withUnsafeBytes { write($0, as: piece, &wakes) }
    }

    private mutating func write(
        _ bytes: UnsafeRawBufferPointer, as piece: @autoclosure () -> [UInt8], _ wakes: inout Wakes
    ) -> TransportFlow {
        guard !isClosed else { return .stop }
        guard !bytes.isEmpty else { return .proceed }
        guard fits(bytes.count) else {
            let room = room ?? OneShot()
            self.room = room
            return .wait(room)
        }
        if let last = pieces.last?.count, last <= Self.pieceSize - bytes.count {
            pieces[pieces.count - 1].append(contentsOf: bytes)
        } else {
            pieces.append(piece())
        }
        count += bytes.count
        wakeReader(&wakes)
        return .proceed
    }

    /// Ends the bytes. The exchange is over.
    package mutating func finish(_ result: Result<HeaderFields, Failure>, _ wakes: inout Wakes) {
        end = end ?? result
        wakes.dropped = stop.take()
        wakeReader(&wakes)
    }

    /// Wakes the reader for something else than bytes.
    mutating func wakeReader(_ wakes: inout Wakes) { wakes.news = news.take() ?? wakes.news }

    /// Takes back the promise of more bytes. The reader is woken, to get a signal without the promise.
    mutating func breakPromise(_ wakes: inout Wakes) {
        guard promisesBytes else { return }
        promisesBytes = false
        wakeReader(&wakes)
    }

    // MARK: The reader

    /// Returns the signal that fires when there is something for the reader.
    mutating func awaitNews() -> OneShot {
        let news = news ?? OneShot(promisesBytes: promisesBytes)
        self.news = news
        return news
    }

    /// Copies waiting bytes into the buffer.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer, _ wakes: inout Wakes
    ) throws(Failure) -> RequestBodyPiece {
        if let rest = pieces.first?[copied...].prefix(buffer.count), !rest.isEmpty {
            buffer.copyBytes(from: rest)
            copied += rest.count
            if copied == pieces.first?.count {
                _ = pieces.popFirst()
                copied = 0
            }
            countOut(rest.count, &wakes)
            return .bytes(rest.count)
        }
        guard let end else { return .wait(awaitNews()) }
        return .end(trailers: try end.get())
    }

    /// Takes the oldest piece; nil if no piece waits. The bytes of the piece before it no longer count.
    package mutating func take(_ wakes: inout Wakes) -> [UInt8]? {
        countOut(busy, &wakes)
        var piece = pieces.popFirst()
        if copied > 0 { piece?.removeFirst(copied) }
        (busy, copied) = (piece?.count ?? 0, 0)
        return piece
    }

    /// Drops the waiting bytes.
    mutating func removeAll(_ wakes: inout Wakes) {
        (pieces, copied, busy) = (Queue(), 0, 0)
        countOut(count, &wakes)
    }

    /// Ends the exchange that writes. The reader takes no more bytes.
    /// - Parameter refusal: the failure of the reader. The first one counts.
    package mutating func close(with refusal: Failure? = nil, _ wakes: inout Wakes) {
        (isClosed, self.refusal) = (true, self.refusal ?? refusal)
        wakes.stop = stop.take()
        removeAll(&wakes)
        wakeReader(&wakes)
    }

    private mutating func countOut(_ bytes: Int, _ wakes: inout Wakes) {
        count -= bytes
        guard count <= limit / 2, let room = room.take() else { return }
        (wakes.room, wentOn) = (room, .now)
    }
}

/// What a change of a pipe leaves to do after its lock is released: the signals to fire, and a value to release, because
/// its `deinit` can be foreign code.
package struct Wakes {
    var stop, room, news: OneShot?
    /// A signal of the pipe's owner.
    var own: OneShot?
    var dropped: (any Sendable)?

    package init() {}

    package func fire() {
        stop?.fire()
        room?.fire()
        news?.fire()
        own?.fire()
        withExtendedLifetime(dropped) {}
    }
}

extension Guarded {
    /// Changes the value under the lock, and then fires the signals that the change has noted.
    func waking<Result: Sendable, Failure: Error>(
        _ change: (inout Value, inout Wakes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var wakes = Wakes()
        defer { wakes.fire() }
        return try withLock { value throws(Failure) in try change(&value, &wakes) }
    }
}
