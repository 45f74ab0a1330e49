// The transport on libcurl. CurlTransport gives each exchange to an EventLoop, which drives a Transfer: WireRequest and WireURL are what
// libcurl is given, ResponseHeadReader and ContentDecoder what it gives. The C around libcurl is in CDoors/CPatchbayCurl.

public import PatchbayManager
import PatchbayPlatform
public import PatchbayRegistry

/// The transport on libcurl: an event loop with a thread of its own, kept-open connections and HTTP/2. Downloads go over HTTP/1.1,
/// and so does what can be paused, sends trailers or has a body of unknown length; with libcurl 8.23 or later downloads and such bodies
/// go over HTTP/2, too. What may go over HTTP/2, and streams, ask for the fields behind their bodies (`TE: trailers`).
///
/// The thread starts with the first exchange and ends when the transport has been released and nothing is under way. While it
/// sleeps, requests go out on the thread that makes them. Whoever waits for an exchange waits without a thread. A host whose name
/// look-up takes long delays no other exchange and can be given up at any time.
///
/// Proxies come from the environment (`http_proxy`, `https_proxy`, `no_proxy`), as libcurl reads it. User names in URLs are not
/// sent.
///
/// Where the system refuses a file, a socket or memory to libcurl or to the C code around it, the exchanges that need it fail, at
/// worst all that are under way, and later ones succeed once there is some again. Allocations of Swift's own runtime cannot be
/// survived: they end the process. A standard input that is closed is opened as an empty file, because libcurl before 8.13 may close
/// file 0, whatever that is, where it has no memory for a name look-up.
public final class CurlTransport: Transport {
    /// What it may use, fixed when it was made.
    public let configuration: Configuration
    /// Made, with its thread, for the first exchange, and again where one has closed.
    private let loop = Guarded<EventLoop?>(nil)

    /// A transport without a connection yet; nothing is started.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    deinit {
        loop.withLock { $0 }?.send(.end)
    }

    /// Starts the exchange on the loop, and waits without a thread until it is over.
    public func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        // First, because which content codings there are depends on libcurl.
        let loop = try runningLoop()
        let request = try WireRequest(request)
        guard !Task.isCancelled else { throw .stopped }
        let number = loop.nextNumber()
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                loop.start(Transfer(request, for: receiver, number: number, on: loop, continuation))
                // A stop that came before the start has found nothing to stop.
                if Task.isCancelled { loop.send(.stop(number)) }
            }
        } onCancel: {
            loop.send(.stop(number))
        }
        return try result.get()
    }

    public func keeps(_ cookies: any CookieStore) -> Bool { cookies is CookieJar }

    public var sendsTrailers: Bool { true }

    private func runningLoop() throws(TransportFailure) -> EventLoop {
        try loop.withLock { loop throws(TransportFailure) in
            if let loop, loop.isOpen { return loop }
            let made = try EventLoop(configuration)
            let runs = BackgroundThread.start {
                BrokenPipeSignal.block()
                made.run()
            }
            guard runs else {
                throw TransportFailure(.other, "the system has no thread for the transport")
            }
            loop = made
            return made
        }
    }
}

extension CurlTransport {
    /// What a transport may use; every default is visible here.
    public struct Configuration: Sendable, Hashable {
        /// How many connections may be open at once, 1 at least, those among them that are kept open unused. More exchanges wait for
        /// one, those of a host in the order in which they were made, each no longer than its idle timeout.
        public var maximumConnections: Int
        /// How many of them to one host and port, 1 at least. A stream takes one as long as it lasts, and so does each exchange over
        /// HTTP/1.1; exchanges over HTTP/2 share them.
        public var maximumConnectionsPerHost: Int
        /// How many content codings a body may have, one on top of the other, 1 at least; more are an error.
        public var maximumContentCodings: Int
        /// How many bytes a content coding may take beyond those that the body has given by then, its beginning and padding among
        /// them; more are an error. A body that is honest takes fewer than it gives.
        public var maximumCodingOverhead: Int
        /// How connections are secured to the hosts that no pattern of `tlsByHost` names; nil refuses https to those.
        public var tls: TLSSettings?
        /// How connections are secured to the hosts of each pattern: of several that match, the narrowest alone counts.
        public var tlsByHost: [HostPattern: TLSSettings]

        /// Settings with these values.
        public init(
            maximumConnections: Int = 256, maximumConnectionsPerHost: Int = 64, maximumContentCodings: Int = 2,
            maximumCodingOverhead: Int = 64 << 20, tls: TLSSettings? = TLSSettings(),
            tlsByHost: [HostPattern: TLSSettings] = [:]
        ) {
            self.maximumConnections = maximumConnections
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.maximumContentCodings = maximumContentCodings
            self.maximumCodingOverhead = maximumCodingOverhead
            self.tls = tls
            self.tlsByHost = tlsByHost
        }

        /// The settings for a host; nil where there are none.
        func tls(for host: CanonicalHost) -> TLSSettings? {
            guard !tlsByHost.isEmpty else { return tls }
            let named = tlsByHost.filter { $0.key.matches(host) }
            return named.max { $0.key.specificity < $1.key.specificity }?.value ?? tls
        }
    }
}

extension CurlTransport: CustomStringConvertible, CustomReflectable {
    public var description: String { "transport on libcurl" }
    public var customMirror: Mirror { Mirror(self, children: ["configuration": configuration], displayStyle: .class) }
}
