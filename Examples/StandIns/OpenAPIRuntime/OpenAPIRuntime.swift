// Stands in for the module OpenAPIRuntime of swift-openapi-runtime 1: what the example `PatchbayClientTransport` uses,
// with the names and signatures of the real one.

public import Foundation
public import StandInHTTPTypes

public protocol ClientTransport: Sendable {
    func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?)
}

public enum IterationBehavior: Sendable { case single, multiple }

public final class HTTPBody: Sendable, AsyncSequence {
    public typealias ByteChunk = ArraySlice<UInt8>
    public typealias Element = ByteChunk
    public enum Length: Sendable, Equatable {
        case unknown
        case known(Int64)
    }

    public let iterationBehavior: IterationBehavior
    public let length: Length
    private let iterate: @Sendable () -> Iterator

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let produce: () async throws -> ByteChunk?
        public mutating func next() async throws -> ByteChunk? { try await produce() }
    }

    public init<Bytes: AsyncSequence>(
        _ sequence: Bytes, length: HTTPBody.Length, iterationBehavior: IterationBehavior
    ) where Bytes.Element == ByteChunk, Bytes: Sendable {
        (self.length, self.iterationBehavior) = (length, iterationBehavior)
        iterate = {
            var iterator = sequence.makeAsyncIterator()
            return Iterator { try await iterator.next() }
        }
    }

    public convenience init(_ bytes: some Collection<UInt8> & Sendable) {
        let chunk = ByteChunk(bytes)
        self.init(
            AsyncStream { continuation in
                continuation.yield(chunk)
                continuation.finish()
            }, length: .known(Int64(chunk.count)), iterationBehavior: .single)
    }

    public func makeAsyncIterator() -> Iterator { iterate() }
}
