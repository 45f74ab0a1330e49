/// What a request says of its clocks; nil leaves it to the configuration.
struct Timeouts: Sendable {
    let idle: Duration?
    let total: Duration?

    init(_ request: HTTPRequest) { (idle, total) = (request.idleTimeout, request.totalTimeout) }
}
