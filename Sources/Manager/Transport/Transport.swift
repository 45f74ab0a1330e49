// The transport of an exchange: the protocol, its request and failure, and the signal that stops it. Each transport
// with a network is a folder of Sources/Transports and a target of its own. A transport that keeps responses (a cache)
// wraps another transport. `StubTransport` is in Testing.

import PatchbayPlatform
public import PatchbayRegistry

/// Carries one request and its response. A session manager has no other access to the network.
///
/// A transport does not handle serializers, redirects, credentials, cookies, timeouts or retries. The session manager
/// handles them, so they are the same on every transport. A transport decodes the content codings that it named in
/// `Accept-Encoding`; in the response to a download to a file, or to a request with `Range`, also those of a request for
/// `identity`. It does not decode a part of the content (status 206) that was asked for with `Range`. It passes on heads
/// with status 2xx to 5xx unchanged, repeated `Set-Cookie` fields one by one, and drops interim (1xx) responses. A
/// transport sends only the header fields of the request, the fields that frame the message (`Host`, `Content-Length`,
/// `Transfer-Encoding`, `Connection`), `Accept-Encoding` for the codings that it can decode, and `TE: trailers`, named in
/// `Connection`, if it passes on trailer fields.
public protocol Transport: Sendable {
    /// Performs one exchange and returns when it has ended.
    ///
    /// The transport calls `receiver` one call at a time, in order: first with the head, then with chunks of the body,
    /// and no call after the return. A body that is shorter than its announced length is a failure, never a success.
    ///
    /// A `Trailer` field of the request announces that the source of the body ends with trailer fields
    /// (`RequestBodyPiece.end`). A transport that can't send them throws `unsupportedRequest`, as it does for
    /// connection settings that it can't apply.
    ///
    /// When the Swift task is cancelled, the exchange ends immediately. It ends with `.stopped`, or without an error if
    /// all of the response has arrived and only the body of the request has not been sent. A call that ends, for
    /// example by a timeout, fires `receiver.stop`, and cancels the task unless `endsWhenStopped` is true.
    /// - Throws: `TransportFailure`. The receiver is not called after that.
    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings

    /// Whether `perform` ends by itself when `receiver.stop` fires, whatever it waits for; false by default. If it is
    /// false, `perform` runs in a task of its own, which the signal cancels.
    var endsWhenStopped: Bool { get }
}

extension Transport {
    public var endsWhenStopped: Bool { false }
}

/// One request as a transport sends it: complete and checked.
public struct TransportRequest: Sendable {
    /// The method, the URL and the fields.
    public var head: RequestHead {
        get { givenHead }
        // A changed head can have another URL, and so another host.
        set { (givenHead, host) = (newValue, nil) }
    }
    private var givenHead: RequestHead
    /// The host of the URL, if a call made the URL. The URL is then absolute, http or https, without a user, and with
    /// this spelling of the host. Nil if the URL has not been checked yet.
    package private(set) var host: CanonicalHost?
    /// The body; nil for a request without a body.
    public var body: RequestBody?
    /// The destination of the body of an acceptable response.
    package enum Sink: Sendable, Hashable {
        /// Memory, which takes every byte at once.
        /// - Parameter limit: the limit of bytes that the request sets; nil if the response decides about it.
        case memory(limit: Int?)
        /// A file. The receiver answers `.wait` while its disk is slow.
        case file
        /// A reader, who takes the elements while they arrive. The receiver answers `.wait` for as long as the reader
        /// likes.
        case stream
    }

    package var sink: Sink
    /// Whether the receiver answers `.wait` while its task is suspended, whatever the sink.
    package var isSuspendable: Bool
    /// The connection settings of the manager's configuration for the host of the URL.
    public var connection: ConnectionSettings {
        get { sharedConnection.settings }
        set { sharedConnection = SharedConnection(newValue) }
    }
    package var sharedConnection: SharedConnection
    /// The trailer fields of a request that was sent to a `StubTransport`.
    package var trailers: HeaderFields

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
        self.init(
            head: head, host: nil, body: body, .standard, into: .memory(limit: nil), isSuspendable: false)
    }

    /// A request whose URL a call has made, if it has a host.
    init(
        head: RequestHead, host: CanonicalHost?, body: RequestBody?, _ connection: SharedConnection, into sink: Sink,
        isSuspendable: Bool
    ) {
        givenHead = head
        self.host = host
        self.body = body
        sharedConnection = connection
        self.sink = sink
        self.isSuspendable = isSuspendable
        trailers = HeaderFields()
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The head, without possible secrets, and the length of the body.
    public var description: String { "\(head)" + (body.map { ", \($0)" } ?? "") }
    public var customMirror: Mirror {
        Mirror(self, children: ["head": head, "body": body as Any], displayStyle: .struct)
    }
}

/// Receives the response of an exchange, on a thread of the transport's choice: every call must return quickly. The
/// current Swift task there can be the task of another call.
public protocol ExchangeReceiver: AnyObject, Sendable {
    /// Fires when the exchange should end early: it is cancelled or out of time, or its bytes cannot be stored.
    var stop: OneShot { get }

    /// Receives the head of the final response. Not called for interim responses.
    func receive(status: Int, fields: HeaderFields) -> TransportFlow

    /// Receives the next bytes of the decoded body, which are valid during the call only.
    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow

    /// Receives the trailer fields when all of the body has arrived (RFC 9110, section 6.5). Not called if there are no
    /// trailer fields, or if the transport doesn't support them.
    func receive(trailers: HeaderFields)

    /// Called when this many more bytes of the request body were passed to the network.
    func sent(_ bytes: Int)
}

extension ExchangeReceiver {
    public func receive(trailers: HeaderFields) {}
}

/// A receiver with timeouts. It is told when its exchange waits because a limit allows no more connections.
package protocol TimedReceiver: ExchangeReceiver {
    /// Whether `stop` has fired because a timeout has passed. Any thread can ask.
    var isOutOfTime: Bool { get }
    /// Called before the head, one at a time with the other calls, like `endWaitForConnection`.
    /// - Parameter reason: the limit, and the setting that raises it, as a clause.
    func waitForConnection(because reason: String)
    /// Called when there is a connection, or room to make a connection.
    func endWaitForConnection()
    /// Called before the head, for a part of the environment that has no effect.
    /// - Parameter clause: quotes nothing secret.
    func note(_ clause: String)
    /// Called when the transport has read bytes of a body that it sends later. Any thread can call it.
    func moved()
}

/// The answer of a receiver to the head, and to each chunk of the body.
public enum TransportFlow: Sendable {
    /// Continue the exchange.
    case proceed
    /// The receiver did not take the head or chunk: offer it again when the signal has fired (back pressure).
    case wait(OneShot)
    /// End the exchange with `TransportFailure.Code.stopped`. The receiver does not want the head or chunk.
    case stop
}
