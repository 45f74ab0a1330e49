// Stands in for the module MCP of the MCP Swift SDK 0: what the example `StreamableTransport` uses, with the names and
// signatures of the real one.

public import Foundation
public import StandInLogging

public protocol Transport: Actor {
    var logger: Logger { get }
    func connect() async throws
    func disconnect() async
    func send(_ data: Data) async throws
    func receive() -> AsyncThrowingStream<Data, any Swift.Error>
}
