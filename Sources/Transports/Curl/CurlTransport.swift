// The transport on libcurl. CurlTransport gives each exchange to an EventLoop, which drives a Transfer: WireRequest and WireURL are what
// libcurl is given, ResponseHeadReader and ContentDecoder what it gives. The C around libcurl is in CDoors/CPatchbayCurl.

public import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// The transport on libcurl: an event loop with a thread of its own, kept-open connections and HTTP/2. Downloads go over HTTP/1.1,
/// and so does what can be paused, sends trailers or has a body of unknown length; with libcurl 8.23 or later downloads and such bodies
/// go over HTTP/2, too. What may go over HTTP/2, and streams, ask for the fields behind their bodies (`TE: trailers`).
///
/// The thread starts with the first exchange and ends when the transport has been released and nothing is under way. While it
/// sleeps, requests go out on the thread that makes them. Whoever waits for an exchange waits without a thread. A host whose name
/// look-up takes long delays no other exchange and can be given up at any time.
///
/// It applies all `ConnectionSettings`. By default, the environment names the proxy (`http_proxy`, `https_proxy`, `no_proxy`). User
/// names in URLs are not sent.
///
/// Where the system refuses a file, a socket or memory to libcurl or to the C code around it, the exchanges that need it fail, at
/// worst all that are under way, and later ones succeed once there is some again. Allocations of Swift's own runtime cannot be
/// survived: they end the process. A standard input that is closed is opened as an empty file, because libcurl before 8.13 may close
/// file 0, whatever that is, where it has no memory for a name look-up.
public final class CurlTransport: Transport {
    private let limits: CurlLimits
    /// Made, with its thread, for the first exchange, and again where one has closed.
    private let loop = Guarded<EventLoop?>(nil)

    /// A transport without a connection yet; nothing is started.
    /// - Parameters:
    ///   - maximumConnections: how many connections may be open at once, 1 at least, idle ones included. Exchanges beyond the limit
    ///     wait, each no longer than its idle timeout. How many of them may lead to one host is a setting of the manager's
    ///     configuration: `ConnectionSettings.connectionsPerHost`, 64 by default.
    ///   - maximumContentCodings: how many content codings a body may have on top of one another, 1 at least; a body with more fails.
    ///   - maximumCodingOverhead: how many bytes of a coded body may arrive beyond the number of bytes decoded so far; a body with more
    ///     fails. An honest body takes fewer bytes than it gives.
    public init(
        maximumConnections: Int = 256, maximumContentCodings: Int = 2, maximumCodingOverhead: Int = 64 << 20
    ) {
        limits = CurlLimits(
            connections: max(maximumConnections, 1), contentCodings: max(maximumContentCodings, 1),
            codingOverhead: max(maximumCodingOverhead, 0))
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

    public var keepsCookies: Bool { true }

    private func runningLoop() throws(TransportFailure) -> EventLoop {
        try loop.withLock { loop throws(TransportFailure) in
            if let loop, loop.isOpen { return loop }
            let made = try EventLoop(limits)
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

/// The limits of a `CurlTransport`, which `CurlTransport.init` explains.
struct CurlLimits: Sendable {
    var connections = 256
    var contentCodings = 2
    var codingOverhead = 64 << 20
    /// How many connections may be in use to a host whose settings set no limit.
    var connectionsPerHost = 64
}

extension CurlTransport: CustomStringConvertible, CustomReflectable {
    public var description: String { "transport on libcurl" }
    public var customMirror: Mirror { Mirror(described: self) }
}
