import PatchbayRegistry

/// Bytes between a sender and a receiver, oldest first. Their number is limited, but an empty mailbox accepts a piece
/// of any size. If a piece does not fit, the sender waits until at most half of the limit is used.
///
/// A value behind the lock of its owner. It fires nothing: it returns the wake-ups, to be fired outside the lock. Small
/// pieces are joined, to keep their number low.
struct Mailbox: Sendable {
    static let pieceSize = 64 << 10

    private let limit: Int
    private var pieces: [[UInt8]] = []
    /// The number of taken pieces, and the number of taken bytes of the next one.
    private var taken = 0
    private var copied = 0
    /// The number of bytes of the last taken piece that still count.
    private var busy = 0
    /// The waiting bytes, and those of the piece that the receiver is working on.
    private(set) var count = 0
    /// Fires when the sender may continue; nil if it does not wait.
    private var room: OneShot?
    /// Fires when there is something to take; nil if the receiver does not wait.
    private var news: OneShot?
    /// The last time at which a wait of the sender ended.
    var wentOn: ContinuousClock.Instant?

    init(limit: Int, wentOn: ContinuousClock.Instant? = nil) { (self.limit, self.wentOn) = (limit, wentOn) }

    /// The time until which no byte was expected; nil if bytes always were.
    var rest: ContinuousClock.Instant? { room == nil ? wentOn : .now }

    // MARK: The sender

    /// Nil if there is room for the bytes; otherwise the signal for offering them again.
    mutating func room(for bytes: Int) -> OneShot? {
        guard count > 0, bytes > limit - count else { return nil }
        let room = room ?? OneShot()
        self.room = room
        return room
    }

    /// Copies the bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if !joins(bytes) { pieces.append(Array(bytes)) }
        count += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        if !bytes.withUnsafeBytes({ joins($0) }) { pieces.append(bytes) }
        count += bytes.count
    }

    private mutating func joins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let last = pieces.indices.last, last >= taken, pieces[last].count <= Self.pieceSize - bytes.count else {
            return false
        }
        pieces[last].append(contentsOf: bytes)
        return true
    }

    /// The signal to fire after new bytes or the end.
    mutating func takeNews() -> OneShot? {
        defer { news = nil }
        return news
    }

    // MARK: The receiver

    /// The signal for new bytes or the end.
    mutating func awaitNews(promisesBytes: Bool = false) -> OneShot {
        let news = news ?? OneShot(promisesBytes: promisesBytes)
        self.news = news
        return news
    }

    /// The oldest piece, which counts until `free`; nil if none waits.
    mutating func take() -> [UInt8]? {
        guard taken < pieces.count else { return nil }
        let piece = pieces[taken]
        dropPiece()
        busy = piece.count
        return piece
    }

    /// Ends the work on the last piece. Gives the signal to fire if there is room enough.
    mutating func free() -> OneShot? {
        defer { busy = 0 }
        return countOut(busy)
    }

    /// Copies waiting bytes into the buffer. Gives their number, and the signal to fire if there is room enough.
    mutating func copy(into buffer: UnsafeMutableRawBufferPointer) -> (bytes: Int, room: OneShot?) {
        guard taken < pieces.count else { return (0, nil) }
        let rest = pieces[taken][copied...].prefix(buffer.count)
        buffer.copyBytes(from: rest)
        copied += rest.count
        if copied == pieces[taken].count { dropPiece() }
        return (rest.count, countOut(rest.count))
    }

    /// Drops the waiting bytes. Gives the signal to fire if the sender waits.
    mutating func removeAll() -> OneShot? {
        (pieces, taken, copied, busy) = ([], 0, 0, 0)
        return countOut(count)
    }

    private mutating func dropPiece() {
        pieces[taken] = []
        (taken, copied) = (taken + 1, 0)
        // Not each time, because it moves the remaining pieces.
        guard taken == pieces.count || taken >= 32 else { return }
        pieces.removeFirst(taken)
        taken = 0
    }

    private mutating func countOut(_ bytes: Int) -> OneShot? {
        count -= bytes
        guard count <= limit / 2, let room else { return nil }
        (self.room, wentOn) = (nil, .now)
        return room
    }
}
