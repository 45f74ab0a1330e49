import PatchbayManager
import PatchbayRegistry

/// The two directions of an exchange: the body of the request, which is sent, and the response, which is received.
///
/// Most exchanges send to the end, and then receive to the end. A server can also answer early: it has sent its whole
/// response, or closed the connection, while the body of the request is still on the way. libcurl 7.88.1 doesn't see
/// that while the body is paused, so an exchange looks at this pair: whenever libcurl asks for bytes of the body, when
/// libcurl reads no more, and when a timeout has passed.
struct Directions {
    enum Direction {
        /// libcurl sends, or asks for bytes; it reads from the connection, or will.
        case open
        /// The source has no bytes before the signal fires, or the receiver takes none.
        case waiting(OneShot.Listener)
        /// The end of the body was read, with trailer fields; libcurl reads no more, because the response or the connection
        /// has ended.
        case done(trailers: HeaderFields = HeaderFields())
        /// The rest is not sent: the response shows that it is not wanted, or the connection was reset.
        case left

        /// Whether this is a wait for the signal, which has not fired.
        func waits(for signal: OneShot) -> Bool {
            if case .waiting(let last) = self { last.signal === signal && !signal.hasFired } else { false }
        }
    }

    /// The time for which the body has had nothing to send after the end of the response.
    enum Silence {
        /// libcurl was made to check the connection one more time.
        case checked
        /// The rest of the body is left when the signal fires.
        case limited(by: OneShot)
    }

    /// A change ends the wait for a signal, which can outlive the exchange.
    var sending = Direction.open { didSet { if case .waiting(let last) = oldValue { last.remove() } } }
    var receiving = Direction.open { didSet { if case .waiting(let last) = oldValue { last.remove() } } }
    /// Nil while the body has bytes to send, and before the response or the connection has ended.
    var silence: Silence?
    /// The socket of the connection, while libcurl waits for it or has ended reading from it.
    private(set) var socket: Int32?

    var isReceiverWaiting: Bool { if case .waiting = receiving { true } else { false } }
    var isBodyRead: Bool { if case .done = sending { true } else { false } }
    /// The socket of the connection from which libcurl reads no more; nil while libcurl reads.
    var socketAtEnd: Int32? { if case .done = receiving { socket } else { nil } }

    mutating func noteBytes() {
        if case .open = sending {} else { sending = .open }
        silence = nil
    }

    /// Notes whether libcurl waits to read from the connection and to write to it.
    /// - Parameter hasHead: whether the receiver has taken the head of the response.
    /// - Returns: whether libcurl must check the connection one more time: it reads no more, and watches no socket
    ///   because the body is paused.
    mutating func noteUse(of socket: Int32, reads: Bool, writes: Bool, hasHead: Bool) -> Bool {
        // A lost attempt to connect tells nothing of the connection.
        if !reads, !writes, let last = self.socket, last != socket { return false }
        if !isReceiverWaiting {
            if reads {
                receiving = .open
                // A connection that libcurl has made after it gave up another one.
                if !hasHead { silence = nil }
            } else if hasHead || !writes {
                receiving = .done()
            }
        }
        self.socket = socket
        guard socketAtEnd != nil else {
            if !reads, !writes { self.socket = nil }
            return false
        }
        guard !writes, silence == nil else { return false }
        switch sending {
        case .open, .done: return false
        case .waiting, .left:
            silence = .checked
            return true
        }
    }

    /// Begins again, for a request that is sent once more.
    mutating func restart() { (sending, receiving, silence) = (.open, .open, nil) }

    /// Ends all waits, when libcurl has no connection for the exchange.
    mutating func end() {
        restart()
        socket = nil
    }
}
