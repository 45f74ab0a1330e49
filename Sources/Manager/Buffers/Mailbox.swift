import PatchbayRegistry

/// Bytes between a sender and whoever takes them, oldest first: so many, or one piece of any size. Then the sender has to wait, until
/// half of that is gone.
///
/// A value behind the lock of its owner. It fires nothing: a wake-up is given back, to be fired when the lock is free. Small pieces are
/// put together, so that many of them are a few to keep and to take.
struct Mailbox: Sendable {
    static let pieceSize = 64 << 10

    private let limit: Int
    private var pieces: [[UInt8]] = []
    /// How many of the pieces are taken, and how many bytes of the one behind them.
    private var taken = 0
    private var copied = 0
    /// How many bytes of the piece that was taken last still count.
    private var busy = 0
    /// The bytes that wait, and those of the piece that whoever took it is busy with.
    private(set) var count = 0
    /// Fires when the sender may go on; nil where it does not wait.
    private var room: OneShot?
    /// Fires when there is something to take; nil where nobody waits for it.
    private var news: OneShot?
    /// When the sender last had to wait no longer.
    var wentOn: ContinuousClock.Instant?

    init(limit: Int, wentOn: ContinuousClock.Instant? = nil) { (self.limit, self.wentOn) = (limit, wentOn) }

    /// Until when no byte was to move; nil where one always was.
    var rest: ContinuousClock.Instant? { room == nil ? wentOn : .now }

    // MARK: The sender

    /// Nil where there is room for so many bytes, else what fires when they are to be offered again.
    mutating func room(for bytes: Int) -> OneShot? {
        guard count > 0, bytes > limit - count else { return nil }
        let room = room ?? OneShot()
        self.room = room
        return room
    }

    /// Copies the bytes in.
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

    /// What to fire when there is something new to take, or to know.
    mutating func takeNews() -> OneShot? {
        defer { news = nil }
        return news
    }

    // MARK: Whoever takes

    /// What fires when there is something new.
    mutating func awaitNews(promisesBytes: Bool = false) -> OneShot {
        let news = news ?? OneShot(promisesBytes: promisesBytes)
        self.news = news
        return news
    }

    /// The oldest piece, which counts until `free`; nil where none waits.
    mutating func take() -> [UInt8]? {
        guard taken < pieces.count else { return nil }
        let piece = pieces[taken]
        dropPiece()
        busy = piece.count
        return piece
    }

    /// The last piece was dealt with: what to fire, where that makes room enough.
    mutating func free() -> OneShot? {
        defer { busy = 0 }
        return countOut(busy)
    }

    /// Moves as many bytes into the buffer as are there: how many, and what to fire, where that makes room enough.
    mutating func copy(into buffer: UnsafeMutableRawBufferPointer) -> (bytes: Int, room: OneShot?) {
        guard taken < pieces.count else { return (0, nil) }
        let rest = pieces[taken][copied...].prefix(buffer.count)
        buffer.copyBytes(from: rest)
        copied += rest.count
        if copied == pieces[taken].count { dropPiece() }
        return (rest.count, countOut(rest.count))
    }

    /// Forgets what waits: what to fire, where the sender waits.
    mutating func removeAll() -> OneShot? {
        (pieces, taken, copied, busy) = ([], 0, 0, 0)
        return countOut(count)
    }

    private mutating func dropPiece() {
        pieces[taken] = []
        (taken, copied) = (taken + 1, 0)
        // Not each time, because the others move up.
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
