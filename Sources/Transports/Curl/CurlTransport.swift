// The transport on libcurl. CurlTransport gives each exchange to an EventLoop, which drives a Transfer. WireRequest and
// WireURL are the input for libcurl, ResponseHeadReader and ContentDecoder read its output. Libcurl has what depends on
// its version and on its texts. The C around libcurl is in C/CPatchbayCurl.

public import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// The transport on libcurl: an event loop with its own thread, persistent connections and HTTP/2. Downloads use
/// HTTP/1.1, and so do requests that can be paused, send trailers or have a body of unknown length. With libcurl 8.23
/// or later, downloads and bodies of unknown length also use HTTP/2. Streams, and requests that can use HTTP/2, ask for
/// trailer fields (`TE: trailers`).
///
/// The thread starts with the first exchange, and ends when the transport was released and no exchange is running.
/// While the thread sleeps, requests are sent on the calling thread. Waiting for an exchange blocks no thread. A slow
/// name look-up delays no other exchange, and can be cancelled at any time.
///
/// The transport applies all `ConnectionSettings`. By default, the environment names the proxy (`http_proxy`,
/// `https_proxy`, `no_proxy`). User names in URLs are not sent.
///
/// If the system has no more file descriptors, sockets or memory for libcurl or the C code around it, the exchanges
/// that need them fail, at worst all running exchanges. Later exchanges succeed when the system has them again.
/// Allocation failures of Swift's own runtime end the process. A closed standard input is opened as an empty file,
/// because libcurl before 8.13 can close file descriptor 0 if it has no memory for a name look-up.
public final class CurlTransport: Transport {
    private let limits: CurlLimits
    /// The event loop. It is made, with its thread, for the first exchange, and again after a loop has closed.
    private let loop = Guarded<EventLoop?>(nil)
    private let files = TLSFiles()
    /// The notes about the environment that were already told to a call.
    private let told = Guarded<Set<String>>([])

    /// Makes a transport. No thread and no connection is started.
    /// - Parameters:
    ///   - maximumConnections: the limit of open connections, at least 1, including idle connections. When a host got new
    ///     connections, because of a silent connection or of `maximumConnectionAge`, as many idle connections from before
    ///     can stay open. Exchanges beyond the limit wait, each at most its idle timeout.
    ///     `ConnectionSettings.connectionsPerHost` limits the connections to one host, by default to 64.
    ///   - maximumContentCodings: the limit of content codings of one body, at least 1. A body with more codings fails.
    ///   - maximumCodingOverhead: the limit of received bytes of a coded body beyond the number of decoded bytes. A
    ///     body with more such bytes fails. A normal coded body is smaller than its content.
    public init(
        maximumConnections: Int = 256, maximumContentCodings: Int = 2, maximumCodingOverhead: Int = 64 << 20
    ) {
        limits = CurlLimits(
            connections: max(maximumConnections, 1), contentCodings: max(maximumContentCodings, 1),
            codingOverhead: max(maximumCodingOverhead, 0))
    }

    /// The version of libcurl and of the libraries that it uses, as libcurl names them, such as `libcurl/7.88.1
    /// OpenSSL/3.0.19 zlib/1.2.13`; nil if libcurl cannot be loaded, and then every exchange fails. The first call loads
    /// libcurl, so that a program can find out at its start.
    public static var libcurlVersion: String? { Libcurl.isReady ? Libcurl.versions : nil }

    deinit {
        loop.withLock { $0 }?.send(.end)
    }

    /// Starts the exchange on the loop, and waits for its end without blocking a thread.
    public func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        // The loop is made first, because the content codings depend on libcurl.
        let loop = try runningLoop()
        var wire = try WireRequest(request)
        let notes = ProxyVariables.notes(isSecure: wire.url.isSecure)
        if !notes.isEmpty, case .environment = wire.proxy, let receiver = receiver as? any TimedReceiver {
            let untold = told.withLock { told in notes.filter { told.insert($0).inserted } }
            untold.forEach(receiver.note)
        }
        // If the settings forbid the request, the loop ends it.
        if wire.url.isSecure, let settings = wire.connection.tls, settings.givesBytes {
            wire.files = try await files.content(of: settings, unless: receiver.stop)
        }
        let transfer = Transfer(wire, for: receiver, number: loop.nextNumber(), on: loop)
        guard !Task.isCancelled else { throw .stopped }
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                transfer.start(continuation)
                // A stop command that came before the start had no effect.
                if Task.isCancelled { loop.send(.stop(transfer.number)) }
            }
        } onCancel: {
            loop.send(.stop(transfer.number))
        }
        return try result.get()
    }

    public var endsWhenStopped: Bool { true }

    func runningLoop() throws(TransportFailure) -> EventLoop {
        // A loop that has closed is let go of outside the lock: its end calls libcurl.
        let (running, _) = try loop.withLock { loop throws(TransportFailure) -> (EventLoop, EventLoop?) in
            if let loop, loop.isOpen { return (loop, nil) }
            let made = try EventLoop(limits)
            let runs = BackgroundThread.start {
                BrokenPipeSignal.block()
                made.run()
            }
            guard runs else {
                throw TransportFailure(.other, "the system has no thread for the transport")
            }
            let closed = loop
            loop = made
            return (made, closed)
        }
        return running
    }
}

/// The limits of a `CurlTransport`; see `CurlTransport.init`.
struct CurlLimits: Sendable {
    var connections = 256
    var contentCodings = 2
    var codingOverhead = 64 << 20
    /// The limit of connections to a host whose settings have no limit.
    var connectionsPerHost = 64
}

extension CurlTransport: CustomStringConvertible, CustomReflectable {
    public var description: String { "transport on libcurl" }
    public var customMirror: Mirror { Mirror(described: self) }
}
