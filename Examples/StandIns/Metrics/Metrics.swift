// Stands in for the modules Metrics and CoreMetrics of swift-metrics 2: what the example `CallMetrics` uses, with the
// names and signatures of the real ones.

import Synchronization

public protocol TimerHandler: AnyObject, Sendable {
    func recordNanoseconds(_ duration: Int64)
}

public protocol MetricsFactory: Sendable {
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler
}

public enum MetricsSystem {
    private static let bootstrapped = Mutex<(any MetricsFactory)?>(nil)

    /// Called once, before the first metric is made.
    public static func bootstrap(_ factory: any MetricsFactory) { bootstrapped.withLock { $0 = factory } }

    public static var factory: any MetricsFactory { bootstrapped.withLock { $0 } ?? NOOPMetricsHandler.instance }
}

public final class NOOPMetricsHandler: MetricsFactory, TimerHandler {
    public static let instance = NOOPMetricsHandler()
    private init() {}
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { self }
    public func recordNanoseconds(_ duration: Int64) {}
}

public final class Timer: Sendable {
    public let label: String
    public let dimensions: [(String, String)]
    private let handler: any TimerHandler

    public init(label: String, dimensions: [(String, String)] = []) {
        (self.label, self.dimensions) = (label, dimensions)
        handler = MetricsSystem.factory.makeTimer(label: label, dimensions: dimensions)
    }

    public func recordNanoseconds(_ duration: Int64) { handler.recordNanoseconds(duration) }
}
