/// The reason that an exchange could not be carried out.
public struct TransportFailure: Error, Sendable, Hashable {
    /// The kinds of failure. Not a closed enum: transports can add their own kinds.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name of the host, or of its proxy, has no address.
        public static let unresolvedHost = Code(rawValue: "unresolvedHost")
        /// No server listens at the address, no route leads to it, or the proxy refuses the connection.
        public static let refusedConnection = Code(rawValue: "refusedConnection")
        /// The host was not found or connected to within `ConnectionSettings.connectTimeout`.
        public static let connectTimeout = Code(rawValue: "connectTimeout")
        /// The TLS handshake did not end within `ConnectionSettings.connectTimeout`.
        public static let tlsTimeout = Code(rawValue: "tlsTimeout")
        /// The connection broke, or was closed before the response was complete.
        public static let lostConnection = Code(rawValue: "lostConnection")
        /// The host did not process the request: it refused the HTTP/2 stream (RFC 9113, section 8.7). The request can
        /// be sent again, whatever its method.
        public static let unprocessed = Code(rawValue: "unprocessed")
        /// The TLS handshake failed, or the certificate is not trusted.
        public static let insecureConnection = Code(rawValue: "insecureConnection")
        /// The certificate of the host has expired, or is not valid yet.
        public static let expiredCertificate = Code(rawValue: "expiredCertificate")
        /// The certificate is for another host.
        public static let wrongHostCertificate = Code(rawValue: "wrongHostCertificate")
        /// The certificate is signed by its own key.
        public static let selfSignedCertificate = Code(rawValue: "selfSignedCertificate")
        /// No trusted authority signed the certificate.
        public static let unknownAuthority = Code(rawValue: "unknownAuthority")
        /// The key or the digest of a certificate is too weak.
        public static let weakCertificate = Code(rawValue: "weakCertificate")
        /// The certificate is refused for another reason.
        public static let refusedCertificate = Code(rawValue: "refusedCertificate")
        /// The key of the host is not one of its pinned keys.
        public static let mismatchedPin = Code(rawValue: "mismatchedPin")
        /// The host supports only versions of TLS that are too old.
        public static let outdatedTLS = Code(rawValue: "outdatedTLS")
        /// The host asks for a client certificate.
        public static let clientCertificateRequired = Code(rawValue: "clientCertificateRequired")
        /// The connection settings for the host refuse https: their `tls` is nil.
        public static let unlistedHost = Code(rawValue: "unlistedHost")
        /// The response is not HTTP, or breaks an important rule of HTTP.
        public static let malformedResponse = Code(rawValue: "malformedResponse")
        /// The body ended before its announced length, or inside a chunk.
        public static let truncatedBody = Code(rawValue: "truncatedBody")
        /// A content coding is unknown, has invalid data or is too costly to decode, or there are too many codings.
        public static let undecodableContent = Code(rawValue: "undecodableContent")
        /// The transport cannot send such a request, or cannot apply a connection setting.
        public static let unsupportedRequest = Code(rawValue: "unsupportedRequest")
        /// The source of the request body failed.
        public static let unreadableBody = Code(rawValue: "unreadableBody")
        /// The process or the system has no memory, file descriptor or socket available.
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// The receiver returned `TransportFlow.stop`, its signal `ExchangeReceiver.stop` fired, or the Swift task was
        /// cancelled.
        public static let stopped = Code(rawValue: "stopped")
        /// Any other failure.
        public static let other = Code(rawValue: "other")
    }

    /// The kind of failure.
    public let code: Code
    /// The reason in plain words, without URLs, header values or bytes of the body.
    public let reason: String

    /// The steps that the exchange reached before it failed, and facts about its connection; nil if the transport knows
    /// neither. The timings do not count when failures are compared.
    public var timings: ExchangeTimings? {
        get { steps?.timings }
        set { steps = newValue.map(Steps.init) }
    }
    private var steps: Steps?

    /// Copies the timings of the failure, if there are any. Not inlined: the frame of an async caller would keep room for
    /// the copies.
    @inline(never)
    func copy(to timings: inout ExchangeTimings) {
        if let steps { timings = steps.timings }
    }

    /// A class, because every function that can fail reserves stack space for its error.
    private final class Steps: Sendable {
        let timings: ExchangeTimings
        init(_ timings: ExchangeTimings) { self.timings = timings }
    }

    /// Creates a failure, for a transport of your own. The reason is shown to people, and must not contain URLs, header
    /// values or bytes of the body.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension TransportFailure {
    public static func == (one: TransportFailure, other: TransportFailure) -> Bool {
        (one.code, one.reason) == (other.code, other.reason)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(reason)
    }
}

extension TransportFailure {
    /// For a call that ended before its request was sent.
    static let notSent = TransportFailure(.stopped, "the call was over before its request was sent")
    /// For an exchange that was stopped while its body was read before sending.
    package static let stoppedBeforeBody = TransportFailure(
        .stopped, "the exchange was stopped before the body was read")
    /// For a source that gives trailer fields that the request does not announce.
    package static let unannouncedTrailers = TransportFailure(
        .unsupportedRequest, "the fields behind the content are not announced by a Trailer field")
    /// For a request body whose source threw an error.
    package static let unreadableBody = TransportFailure(.unreadableBody, "the body of the request could not be read")
    /// For a connection that was lost before the response, with a body that can be sent only once.
    static let lostUnrepeatable = TransportFailure(
        .lostConnection, "the connection was lost, and the body of the request cannot be sent twice")
    /// For a body that does not fit into memory.
    static let noMemory = TransportFailure(.outOfMemory, "there is no memory for the body")
    /// For a resumed download whose response is complete, but has only a part of the missing bytes.
    static let cutRange = TransportFailure(.truncatedBody, "the server sent a part of the rest only")
    /// For a response with status 206 and a part of the content, to a request without a range.
    static let unaskedPart = TransportFailure(.truncatedBody, "the server sent a part, and was asked for the whole")
    /// For a resumed download whose response has more bytes than its range.
    static let excessOfRange = TransportFailure(
        .malformedResponse, "the response has more bytes than its Content-Range says")
    /// For a transport that returned without a head and without a failure.
    static let noHead = TransportFailure(.malformedResponse, "the connection ended before the response had a head")
}

extension TransportFailure: CustomStringConvertible {
    public var description: String { reason }
}

extension TransportFailure.Code: CustomStringConvertible {
    public var description: String { rawValue }
}
