// Stands in for the module Tracing of swift-distributed-tracing 1, and for the modules that it exports: what the example
// `CallTracing` uses, with the names and signatures of the real ones.

import Foundation

// MARK: ServiceContextModule

public protocol ServiceContextKey: Sendable {
    associatedtype Value: Sendable
}

public struct ServiceContext: Sendable {
    @TaskLocal public static var current: ServiceContext?
    public static var topLevel: ServiceContext { ServiceContext() }
    private var values: [ObjectIdentifier: any Sendable] = [:]

    public subscript<Key: ServiceContextKey>(_ key: Key.Type) -> Key.Value? {
        get { values[ObjectIdentifier(key)] as? Key.Value }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

// MARK: Instrumentation

public protocol Injector: Sendable {
    associatedtype Carrier: Sendable
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

public protocol Instrument: Sendable {
    func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier
}

// MARK: Tracing

public protocol TracerInstant: Comparable, Hashable, Sendable {
    var nanosecondsSinceEpoch: UInt64 { get }
}

public struct DefaultTracerClock {
    public static var now: Timestamp {
        Timestamp(nanosecondsSinceEpoch: UInt64(max(0, Date().timeIntervalSince1970) * 1e9))
    }

    public struct Timestamp: TracerInstant {
        public let nanosecondsSinceEpoch: UInt64
        public init(nanosecondsSinceEpoch: UInt64) { self.nanosecondsSinceEpoch = nanosecondsSinceEpoch }
        public static func < (left: Self, right: Self) -> Bool {
            left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
        }
    }
}

public enum SpanKind: Sendable { case server, client, producer, consumer, `internal` }

public struct SpanStatus: Equatable, Sendable {
    public enum Code: Sendable { case ok, error }
    public let code: Code
    public let message: String?
    public init(code: Code, message: String? = nil) { (self.code, self.message) = (code, message) }
}

public protocol SpanAttributeConvertible {
    func toSpanAttribute() -> SpanAttribute
}

public enum SpanAttribute: Equatable, Sendable {
    case int64(Int64)
    case string(String)
}

extension Int: SpanAttributeConvertible {
    public func toSpanAttribute() -> SpanAttribute { .int64(Int64(self)) }
}

extension String: SpanAttributeConvertible {
    public func toSpanAttribute() -> SpanAttribute { .string(self) }
}

extension SpanAttribute: SpanAttributeConvertible {
    public func toSpanAttribute() -> SpanAttribute { self }
}

public struct SpanAttributes: Equatable, Sendable {
    private var attributes: [String: SpanAttribute] = [:]
    public init(_ attributes: [String: SpanAttribute]) { self.attributes = attributes }
    public subscript(_ name: String) -> (any SpanAttributeConvertible)? {
        get { attributes[name] }
        set { attributes[name] = newValue?.toSpanAttribute() }
    }
    public func get(_ name: String) -> SpanAttribute? { attributes[name] }
    public func forEach(_ callback: (String, SpanAttribute) -> Void) { attributes.forEach(callback) }
}

public protocol Span: Sendable {
    var context: ServiceContext { get }
    var operationName: String { get nonmutating set }
    var attributes: SpanAttributes { get nonmutating set }
    var isRecording: Bool { get }
    func setStatus(_ status: SpanStatus)
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant)
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant)
}

public protocol Tracer: Instrument {
    associatedtype Span: StandInTracing.Span
    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Self.Span
}

extension Tracer {
    public func startSpan(
        _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
        ofKind kind: SpanKind = .internal, at instant: @autoclosure () -> some TracerInstant,
        function: String = #function, file fileID: String = #fileID, line: UInt = #line
    ) -> Self.Span {
        startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line
        )
    }

    public func withSpan<T>(
        _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
        ofKind kind: SpanKind = .internal, isolation: isolated (any Actor)? = #isolation,
        function: String = #function, file fileID: String = #fileID, line: UInt = #line,
        _ operation: (Self.Span) async throws -> T
    ) async rethrows -> T {
        let span = startSpan(
            operationName, context: context(), ofKind: kind, at: DefaultTracerClock.now, function: function,
            file: fileID, line: line)
        defer { span.end(at: DefaultTracerClock.now) }
        do {
            return try await ServiceContext.$current.withValue(span.context) { try await operation(span) }
        } catch {
            span.recordError(error, attributes: SpanAttributes([:]), at: DefaultTracerClock.now)
            throw error
        }
    }
}
