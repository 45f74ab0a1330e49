import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform

extension Transfer {
    /// The times of an exchange that libcurl does not measure.
    struct Times {
        /// The wait for a connection.
        enum Queue {
            case none, waiting
            case left(after: Duration)
        }

        private let start = Moment.now
        var queue = Queue.none
        /// The time at which libcurl got the transfer, from which it counts its times.
        var carried = Duration.zero
        /// The time at which the last byte of the request body was sent.
        var bodySent: Duration?
        /// The time of the first byte of the response to a request with a body. For such a request, libcurl gives the
        /// time of the first byte that it sends instead.
        var firstByte: Duration?
        /// The turn in which the request was sent: the last byte of its body, if the whole body was sent.
        var turnSent = 0

        var elapsed: Duration { start.duration(to: .now) }
    }

    /// The times of the steps, as far as libcurl knows them, and the facts about the connection.
    /// - Parameter handle: nil if libcurl never had the exchange.
    func timings(_ handle: EasyHandle?) -> ExchangeTimings {
        var timings = ExchangeTimings()
        if let handle { setSteps(of: &timings, handle) }
        timings.total = times.elapsed
        return timings
    }

    private func setSteps(of timings: inout ExchangeTimings, _ handle: EasyHandle) {
        let time = { (info: patchbay_curl_info) in handle.duration(info).map { self.times.carried + $0 } }
        let address = handle.remoteAddress
        // Without a connection, libcurl 8.23 gives the time of the failure.
        let headSent = address == nil ? nil : time(PATCHBAY_CURLINFO_PRETRANSFER_TIME_T)
        // libcurl also reports 0 connections for a transfer that failed before it had a connection.
        let isReused = headSent != nil && handle.number(PATCHBAY_CURLINFO_NUM_CONNECTS) == 0
        if !isReused {
            timings.nameLookup = time(PATCHBAY_CURLINFO_NAMELOOKUP_TIME_T)
            timings.connect = time(PATCHBAY_CURLINFO_CONNECT_TIME_T)
            timings.secureConnect = time(PATCHBAY_CURLINFO_APPCONNECT_TIME_T)
        }
        timings.requestSent = request.bodyLength ?? (request.body == nil ? 0 : 1) == 0 ? headSent : times.bodySent
        if case .left(let queued) = times.queue { timings.queue = min(queued, timings.requestSent ?? queued) }
        timings.firstByte = request.body == nil ? time(PATCHBAY_CURLINFO_STARTTRANSFER_TIME_T) : times.firstByte
        timings.reusedConnection = isReused
        timings.httpVersion =
            switch handle.number(PATCHBAY_CURLINFO_HTTP_VERSION) {
            case PATCHBAY_CURL_HTTP_VERSION_1_0: "1.0"
            case PATCHBAY_CURL_HTTP_VERSION_1_1: "1.1"
            case PATCHBAY_CURL_HTTP_VERSION_2_0: "2"
            default: nil
            }
        // libcurl 8.23 tells no address before the end of the handshake, but waits for the host's answer.
        let isConnected = address != nil || timings.connect != nil || handle.facts.pointee.has_waited_to_read != 0
        if request.url.isSecure, headSent == nil, isConnected {
            timings.openStep = TransportFailure.isServedByProxy(handle, request) ? .tunnel : .handshake
        }
        if let address {
            let port = handle.number(PATCHBAY_CURLINFO_PRIMARY_PORT)
            timings.setConnection(address: address, port: port, tlsVersion: tlsVersion)
        }
    }
}
