// The transport of an exchange: the protocol, its request and failure, and the signal that stops it. Each transport
// with a network is a folder of Sources/Transports and a target of its own. A transport that keeps responses (a cache)
// wraps another one. The stub is in Testing.

public import PatchbayRegistry

/// Carries one request and its response. A session manager needs nothing else of a network.
///
/// A transport knows nothing of serializers, redirects, credentials, timeouts or retries. All of these are above it,
/// and so they are the same on every transport. It decodes the content codings that it asked for, passes on heads with
/// status 2xx to 5xx unchanged, and drops interim (1xx) responses. It sends only the header fields of the request,
/// those that frame the message (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`), `Accept-Encoding` for
/// the codings that it can decode, and `TE: trailers`, named in `Connection`, if it passes on trailer fields.
public protocol Transport: Sendable {
    /// Performs one exchange and returns when it is over.
    ///
    /// The calls to `receiver` come one at a time, in order: the head once, then chunks of the body, and none after the
    /// return. A body that is shorter than its announced length is a failure, never a success.
    ///
    /// A `Trailer` field of the request announces that the source of the body ends with trailer fields
    /// (`RequestBodyPiece.end`). A transport that can't send them throws `unsupportedRequest`, as it does for
    /// connection settings that it can't apply.
    ///
    /// When `receiver.stop` fires, or the Swift task is cancelled, the exchange ends at once. It ends with `.stopped`,
    /// or without an error if all of the response has arrived and only the body of the request has not been sent.
    /// - Throws: `TransportFailure`. The receiver is not called after that.
    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings

    /// Whether the transport sends the cookies of `TransportRequest.cookies` and stores those that responses set; false
    /// by default. If it is false, a call with a jar fails before it is sent.
    var keepsCookies: Bool { get }
}

extension Transport {
    public var keepsCookies: Bool { false }
}

/// One request as a transport sends it: complete, checked, ready for the wire.
public struct TransportRequest: Sendable {
    /// The method, the URL and the fields.
    public var head: RequestHead {
        // A changed head may have another URL, and so another host.
        didSet { host = nil }
    }
    /// The host of the URL, if a call made the URL. The URL is then absolute, http or https, without a user, and with
    /// this spelling of the host. Nil if the URL has not been checked yet.
    package private(set) var host: CanonicalHost?
    /// The body; nil sends none.
    public var body: RequestBody?
    /// Whether the receiver may answer `.wait` for a long time. Such an exchange goes over HTTP/1.1, because libcurl
    /// 7.88 holds 32 MiB of a paused HTTP/2 transfer. URLSession can't be paused, and asks for the `identity` coding.
    package var mayPause = false
    /// Whether the receiver answers `.wait` because of a slow disk. Such an exchange goes over HTTP/1.1 with a libcurl
    /// before 8.23: libcurl 7.88.1 takes 57 MiB and more for a paused HTTP/2 transfer beside others on its connection,
    /// or fails it.
    package var mayWaitForDisk = false
    /// Whether the elements of the response are read while they arrive.
    package var isStream = false
    /// The connection settings of the manager's configuration for the host of the URL.
    public var connection: ConnectionSettings {
        get { sharedConnection.settings }
        set { sharedConnection = SharedConnection(newValue) }
    }
    package var sharedConnection: SharedConnection
    /// The trailer fields of a request that was sent to a `StubTransport`.
    package var trailers: HeaderFields = [:]
    /// The jar with the cookies to send in addition to those of the head. It also stores the cookies that the response
    /// sets. Nil: neither.
    public var cookies: CookieJar?

    /// Refuses a method or a field that can't be sent. A request that has a host was checked when its call made it.
    package func checkHead() throws(TransportFailure) {
        guard host == nil else { return }
        guard FieldByte.isToken(head.method) else {
            throw TransportFailure(.unsupportedRequest, "the method is not one that can be sent")
        }
        guard Self.areSendable(head.fields) else {
            throw TransportFailure(.unsupportedRequest, "a header field has a character that cannot be sent")
        }
    }

    /// Whether no field could begin a new line: the names are tokens, and the values have no NUL, CR or LF.
    package static func areSendable(_ fields: HeaderFields) -> Bool {
        fields.allSatisfy { field in
            FieldByte.isToken(field.name) && !field.value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }
        }
    }

    /// Whether the source of the body ends with trailer fields.
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
    /// The head, without possible secrets, and the length of the body.
    public var description: String { "\(head)" + (body.map { ", \($0)" } ?? "") }
    public var customMirror: Mirror {
        Mirror(self, children: ["head": head, "body": body as Any], displayStyle: .struct)
    }
}

/// The times at which the steps of one exchange were over, counted from its start, and facts about its connection. Nil
/// if a step did not happen or a fact is unknown.
public struct ExchangeTimings: Sendable, Hashable {
    /// The wait for a free connection was over (`ConnectionSettings.connectionsPerHost`); nil if the exchange did not
    /// wait.
    public var queue: Duration?
    /// The host name was resolved.
    public var nameLookup: Duration?
    /// The connection was made; with a proxy, the connection to the proxy.
    public var connect: Duration?
    /// The TLS handshake was over.
    public var secureConnect: Duration?
    /// The request was sent with its body; without a body, its head began to be sent.
    public var requestSent: Duration?
    /// The first byte of the response arrived.
    public var firstByte: Duration?
    /// The last byte arrived, or the exchange failed.
    public var total: Duration = .zero
    /// `"1.0"`, `"1.1"`, `"2"`, `"3"`; nil if the transport can't tell.
    public var httpVersion: String?
    /// Whether a connection of an earlier exchange was used again; nil if the transport can't tell.
    public var reusedConnection: Bool?
    /// The IP address of the host, or of the proxy.
    public var remoteAddress: String?
    /// The port at `remoteAddress`.
    public var remotePort: Int?
    /// The version of TLS, as in `"TLSv1.3"`.
    public var tlsVersion: String?
    /// Whether the response was complete before the body of the request was sent. The rest of the body was not sent.
    package var leftBody = false

    /// Timings of which nothing is known yet.
    public init() {}
}

extension ExchangeTimings: CustomStringConvertible {
    /// `name 0.012 s, connected 0.040 s, secure 0.081 s, sent 0.082 s, first byte 0.120 s, total 0.131 s, HTTP/2,
    /// TLSv1.3, 192.0.2.7:443, connection used again`
    public var description: String {
        let steps = [
            ("queue", queue), ("name", nameLookup), ("connected", connect), ("secure", secureConnect),
            ("sent", requestSent), ("first byte", firstByte), ("total", total),
        ]
        var parts = steps.compactMap { name, time in time.map { "\(name) \(CallTimeline.seconds($0)) s" } }
        if let httpVersion { parts.append("HTTP/\(httpVersion)") }
        if let tlsVersion { parts.append(tlsVersion) }
        if let remoteAddress {
            let address = remoteAddress.contains(":") ? "[\(remoteAddress)]" : remoteAddress
            parts.append(address + (remotePort.map { ":\($0)" } ?? ""))
        }
        if reusedConnection == true { parts.append("connection used again") }
        return parts.joined(separator: ", ")
    }
}

/// Receives the response of an exchange, on a thread of the transport's choice: every call must return quickly. The
/// current Swift task there may be that of another call.
public protocol ExchangeReceiver: AnyObject, Sendable {
    /// Fires when the exchange should end early, because it is cancelled or out of time.
    var stop: OneShot { get }

    /// The head of the final response (not of an interim one).
    func receive(status: Int, fields: HeaderFields) -> TransportFlow

    /// The next bytes of the decoded body; valid during the call only.
    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow

    /// The trailer fields, once all of the body has arrived (RFC 9110, section 6.5). Not called if there are none, or
    /// if the transport doesn't support them.
    func receive(trailers: HeaderFields)

    /// This many more bytes of the request body were handed to the network.
    func sent(_ bytes: Int)
}

extension ExchangeReceiver {
    public func receive(trailers: HeaderFields) {}
}

/// A receiver that is told when its exchange waits because a limit allows no more connections. These calls come one at
/// a time like the others, before the head.
package protocol ConnectionWaiting: ExchangeReceiver {
    /// - Parameter reason: the limit, and the setting that raises it, as half a sentence.
    func waitForConnection(because reason: String)
    /// There is a connection, or room to make one.
    func endWaitForConnection()
}

/// The answer of a receiver to each piece.
public enum TransportFlow: Sendable {
    /// Go on.
    case proceed
    /// This piece was not taken: offer it again once the signal has fired. (Back pressure.)
    case wait(OneShot)
    /// End the exchange with `TransportFailure.Code.stopped`; this piece was not wanted.
    case stop
}
