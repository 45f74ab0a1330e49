import PatchbayPlatform
import PatchbayRegistry

/// Bytes between a sender and a receiver, oldest first. The number of bytes is limited, but an empty mailbox accepts a
/// piece of any size. If a piece does not fit, the sender waits until at most half of the limit is used.
///
/// The owner of the mailbox protects it with a lock. The mailbox doesn't fire signals: it returns them, and the owner
/// fires them outside the lock. Small pieces are joined, to keep the number of pieces low.
struct Mailbox: Sendable {
    static let pieceSize = 64 << 10

    private let limit: Int
    private var pieces = Queue<[UInt8]>()
    /// The number of bytes that were taken from the oldest piece.
    private var copied = 0
    /// The number of bytes of the last taken piece, which count until `free`.
    private var busy = 0
    /// The number of waiting bytes, plus `busy`.
    private(set) var count = 0
    /// Fires when the sender can continue; nil if the sender does not wait.
    private var room: OneShot?
    /// Fires when there is something to take; nil if the receiver does not wait.
    private var news: OneShot?
    /// The time at which the last wait of the sender ended.
    var wentOn: Moment?

    init(limit: Int, wentOn: Moment? = nil) { (self.limit, self.wentOn) = (limit, wentOn) }

    /// The time at which the sender's last wait ended, or the current time during a wait; nil if the sender never
    /// waited.
    var rest: Moment? { room == nil ? wentOn : .now }

    // MARK: The sender

    /// Returns nil if there is room for the bytes, otherwise the signal after which the sender offers the bytes again.
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
        guard let last = pieces.last?.count, last <= Self.pieceSize - bytes.count else { return false }
        pieces[pieces.count - 1].append(contentsOf: bytes)
        return true
    }

    /// Returns the signal that the owner fires after new bytes or at the end of the bytes; nil if the receiver does not
    /// wait.
    mutating func takeNews() -> OneShot? {
        defer { news = nil }
        return news
    }

    // MARK: The receiver

    /// Returns the signal that fires after new bytes or at the end of the bytes.
    mutating func awaitNews(promisesBytes: Bool = false) -> OneShot {
        let news = news ?? OneShot(promisesBytes: promisesBytes)
        self.news = news
        return news
    }

    /// Takes the oldest piece, or returns nil if no piece waits. The bytes of the piece count until `free`.
    mutating func take() -> [UInt8]? {
        guard let piece = pieces.popFirst() else { return nil }
        (busy, copied) = (piece.count, 0)
        return piece
    }

    /// Ends the work on the last taken piece. Returns the signal to fire if the sender can continue.
    mutating func free() -> OneShot? {
        defer { busy = 0 }
        return countOut(busy)
    }

    /// Copies waiting bytes into the buffer. Returns their number, and the signal to fire if the sender can continue.
    mutating func copy(into buffer: UnsafeMutableRawBufferPointer) -> (bytes: Int, room: OneShot?) {
        guard let piece = pieces.first else { return (0, nil) }
        let rest = piece[copied...].prefix(buffer.count)
        buffer.copyBytes(from: rest)
        copied += rest.count
        if copied == piece.count {
            _ = pieces.popFirst()
            copied = 0
        }
        return (rest.count, countOut(rest.count))
    }

    /// Drops the waiting bytes. Returns the signal to fire if the sender waits.
    mutating func removeAll() -> OneShot? {
        (pieces, copied, busy) = (Queue(), 0, 0)
        return countOut(count)
    }

    private mutating func countOut(_ bytes: Int) -> OneShot? {
        count -= bytes
        guard count <= limit / 2, let room else { return nil }
        (self.room, wentOn) = (nil, .now)
        return room
    }
}
