// Stands in for the module Logging of swift-log 1: what the examples use, with the names and signatures of the real one.

public protocol LogHandler: Sendable {
    var metadata: Logger.Metadata { get set }
    var logLevel: Logger.Level { get set }
    subscript(metadataKey _: String) -> Logger.Metadata.Value? { get set }
    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
        function: String, line: UInt)
}

public struct Logger: Sendable {
    public enum Level: String, Codable, CaseIterable, Comparable, Sendable {
        case trace, debug, info, notice, warning, error, critical

        public static func < (left: Self, right: Self) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    public struct Message: ExpressibleByStringInterpolation, Equatable, CustomStringConvertible, Sendable {
        public let description: String
        public init(stringLiteral value: String) { description = value }
    }

    public enum MetadataValue: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable {
        case string(String)
        case stringConvertible(any CustomStringConvertible & Sendable)

        public init(stringLiteral value: String) { self = .string(value) }
        public var description: String {
            switch self {
            case .string(let text): text
            case .stringConvertible(let value): value.description
            }
        }
    }

    public typealias Metadata = [String: MetadataValue]

    public let label: String
    public var handler: any LogHandler

    public init(label: String, factory: (String) -> any LogHandler) {
        (self.label, handler) = (label, factory(label))
    }

    public var logLevel: Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    public func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        guard logLevel <= level else { return }
        handler.log(
            level: level, message: message(), metadata: metadata(), source: source() ?? "", file: file,
            function: function, line: line)
    }

    public func debug(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        log(
            level: .debug, message(), metadata: metadata(), source: source(), file: file, function: function, line: line
        )
    }
}
