// What carries an exchange: the protocol, its request and failure, and the signal that stops it. A transport with a network is a folder of
// Sources/Transports and a target of its own; one that keeps answers (a cache) is a transport round another. The stub is in Testing.

public import PatchbayRegistry

/// Carries one request and its response: the one thing that a session manager needs of a network.
///
/// A transport knows nothing of serializers, redirects, credentials, clocks or retries; all of these are above it and so behave
/// alike on every transport. It decodes the content codings that it asked for, hands over 2xx to 5xx heads as they are, drops
/// interim (1xx) responses, and sends no header field that the request does not have, except those that frame the
/// message (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`), `Accept-Encoding` for the codings it can undo, and
/// `TE: trailers`, named in `Connection`, where it hands over the fields behind a body.
public protocol Transport: Sendable {
    /// Performs one exchange and returns when it is over.
    ///
    /// The calls to `receiver` come one at a time, in order: the head once, then chunks of the body, none after the return. A
    /// body shorter than its announced length is a failure, never a success.
    ///
    /// A `Trailer` field of the request announces that the source of the body gives fields at its end (`RequestBodyPiece.end`). A
    /// transport that can't send them throws `unsupportedRequest`, as it does for connection settings that it can't apply.
    ///
    /// When `receiver.stop` fires, or the Swift task is cancelled, the exchange ends at once: with `.stopped`, or well where all of
    /// the response has come and only the body of the request has not been sent.
    /// - Throws: `TransportFailure`, after which the receiver hears no more.
    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings

    /// Whether the transport sends the cookies of `TransportRequest.cookies` and keeps those that responses set; by default it doesn't.
    /// A call with a jar fails before it is sent on a transport that doesn't.
    var keepsCookies: Bool { get }
}

extension Transport {
    public var keepsCookies: Bool { false }
}

/// One request as a transport sends it: complete, checked, ready for the wire.
public struct TransportRequest: Sendable {
    /// The method, the URL and the fields.
    public var head: RequestHead {
        // A changed head may have another URL, and its host counts.
        didSet { host = nil }
    }
    /// The host of the URL, where a call has made that: absolute, http or https, without a user, and with the host as it is here.
    /// Nil where nobody has looked at the URL yet.
    package private(set) var host: CanonicalHost?
    /// The body; nil sends none.
    public var body: RequestBody?
    /// Whether the receiver is going to answer `.wait`, and for long. Such an exchange goes over HTTP/1.1, because libcurl 7.88 holds
    /// 32 MiB of a paused HTTP/2 transfer; URLSession, which cannot be paused, asks for the `identity` coding.
    package var mayPause = false
    /// Whether the receiver answers `.wait` where a disk is behind. Such an exchange goes over HTTP/1.1 with a libcurl before 8.23,
    /// of which 7.88.1 takes 57 MiB and more for a paused HTTP/2 transfer beside others on its connection, or fails it.
    package var mayWaitForDisk = false
    /// Whether the elements of the response are read while they arrive.
    package var isStream = false
    /// How the connection is made: the settings of the manager's configuration for the host of the URL.
    public var connection: ConnectionSettings {
        get { sharedConnection.settings }
        set { sharedConnection = SharedConnection(newValue) }
    }
    package var sharedConnection: SharedConnection
    /// The fields that came behind the body, of a request that a `StubTransport` was sent.
    package var trailers: HeaderFields = [:]
    /// The cookies to send beside those of the head, and the place for those that the response sets; nil: neither.
    public var cookies: CookieJar?

    /// Refuses a method or a field that cannot be sent. Those of a call, which has a host, were looked at when it was made.
    package func checkHead() throws(TransportFailure) {
        guard host == nil else { return }
        guard FieldByte.isToken(head.method) else {
            throw TransportFailure(.unsupportedRequest, "the method is not one that can be sent")
        }
        guard Self.areSendable(head.fields) else {
            throw TransportFailure(.unsupportedRequest, "a header field has a character that cannot be sent")
        }
    }

    /// Whether none of the fields has a name or a value that could begin a new line.
    package static func areSendable(_ fields: HeaderFields) -> Bool {
        fields.allSatisfy { field in
            FieldByte.isToken(field.name) && !field.value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }
        }
    }

    /// Whether the source of the body gives fields at its end.
    package var announcesTrailers: Bool {
        if case .source = body { head.fields["Trailer"] != nil } else { false }
    }

    /// A request with a body, or without one.
    public init(head: RequestHead, body: RequestBody? = nil) {
        self.head = head
        self.body = body
        sharedConnection = .standard
    }

    /// A request whose URL a call has made.
    init(head: RequestHead, host: CanonicalHost, body: RequestBody?, _ connection: SharedConnection) {
        (self.head, self.body, self.host, sharedConnection) = (head, body, host, connection)
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The head, without what may be a secret, and the length of the body.
    public var description: String { "\(head)" + (body.map { ", \($0)" } ?? "") }
    public var customMirror: Mirror {
        Mirror(self, children: ["head": head, "body": body as Any], displayStyle: .struct)
    }
}

/// When the steps of one exchange were over, each counted from its start; nil where a step did not happen or is not known.
public struct ExchangeTimings: Sendable, Hashable {
    /// The name of the host was resolved.
    public var nameLookup: Duration?
    /// The connection was made; with a proxy, that to the proxy.
    public var connect: Duration?
    /// TLS was agreed on.
    public var secureConnect: Duration?
    /// The first byte of the response came.
    public var firstByte: Duration?
    /// The last one did, or the exchange failed.
    public var total: Duration = .zero
    /// `"1.0"`, `"1.1"`, `"2"`, `"3"`; nil where the transport cannot tell.
    public var httpVersion: String?
    /// Whether a connection of an earlier exchange was used again; nil where the transport cannot tell.
    public var reusedConnection: Bool?
    /// Whether the response was complete before the body of the request, of which the rest was not sent.
    package var leftBody = false

    /// Nothing is known yet.
    public init() {}
}

extension ExchangeTimings: CustomStringConvertible {
    /// `name 0.012 s, connected 0.040 s, secure 0.081 s, first byte 0.120 s, total 0.131 s, HTTP/2, connection used again`
    public var description: String {
        let steps = [
            ("name", nameLookup), ("connected", connect), ("secure", secureConnect), ("first byte", firstByte),
            ("total", total),
        ]
        var parts = steps.compactMap { name, time in time.map { "\(name) \(CallTimeline.seconds($0)) s" } }
        if let httpVersion { parts.append("HTTP/\(httpVersion)") }
        if reusedConnection == true { parts.append("connection used again") }
        return parts.joined(separator: ", ")
    }
}

/// Takes what a transport receives, as it comes, on a thread of the transport's choice: every call must return quickly.
/// The current Swift task there may be that of another call.
public protocol ExchangeReceiver: AnyObject, Sendable {
    /// Fires when the exchange should end early: cancelled, out of time.
    var stop: OneShot { get }

    /// The head of the final response (not of an interim one).
    func receive(status: Int, fields: HeaderFields) -> TransportFlow

    /// The next bytes of the decoded body; valid during the call only.
    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow

    /// The fields behind the body, once all of it has come (RFC 9110, section 6.5): not called where there are none. Those of a transport
    /// that knows of none never come.
    func receive(trailers: HeaderFields)

    /// So many more bytes of the request body were handed to the network.
    func sent(_ bytes: Int)
}

extension ExchangeReceiver {
    public func receive(trailers: HeaderFields) {}
}

/// A receiver that is told when its exchange waits because a limit allows no more connections. Called as the others are, before the
/// head.
package protocol ConnectionWaiting: ExchangeReceiver {
    /// - Parameter reason: which limit it is and what allows more, as half a sentence.
    func waitForConnection(because reason: String)
    /// There is a connection, or room to make one.
    func endWaitForConnection()
}

/// What a receiver asks of the transport after each piece.
public enum TransportFlow: Sendable {
    /// Go on.
    case proceed
    /// This piece was not taken: offer it again once the signal has fired. (Back pressure.)
    case wait(OneShot)
    /// End the exchange with `TransportFailure.Code.stopped`; this piece was not wanted.
    case stop
}
