// The streamable HTTP transport of MCP (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports), for
// the MCP Swift SDK:
//
//     try await client.connect(transport: StreamableTransport(manager, endpoint: "https://example.com/mcp"))
//
// Answers come as JSON or as events while they are made. The messages that the server sends on its own come on a stream
// that reconnects, with `Last-Event-ID`, also on Linux.

import Foundation
import Patchbay
import StandInLogging  // In your package: import Logging

import protocol StandInMCP.Transport  // In your package: import protocol MCP.Transport

actor StreamableTransport: Transport {
    nonisolated let logger: Logger
    private let manager: SessionManager
    private let endpoint: String
    private let reconnection: EventReconnection
    private let messages: AsyncThrowingStream<Data, any Error>
    private let continuation: AsyncThrowingStream<Data, any Error>.Continuation
    /// The session that the server has begun, and the version of the protocol that it chose.
    private var sessionID, version: String?
    private var listening: Task<Void, Never>?
    private var isConnected = false

    init(
        _ manager: SessionManager, endpoint: String, reconnecting reconnection: EventReconnection = .standard,
        logger: Logger
    ) {
        (self.manager, self.endpoint, self.reconnection) = (manager, endpoint, reconnection)
        self.logger = logger
        (messages, continuation) = AsyncThrowingStream.makeStream()
    }

    func connect() async throws { isConnected = true }

    func disconnect() async {
        guard isConnected else { return }
        isConnected = false
        listening?.cancel()
        continuation.finish()
        // A server that ends no session answers with status 405.
        if sessionID != nil { _ = try? await manager.send(makeRequest("DELETE")) }
    }

    func receive() -> AsyncThrowingStream<Data, any Error> { messages }

    func send(_ data: Data) async throws {
        guard isConnected else { throw CancellationError() }
        var request = makeRequest("POST")
        request.content = .data(data, type: "application/json")
        let answer = try await manager.stream(request)
        sessionID = answer.head.fields["Mcp-Session-Id"] ?? sessionID
        for try await element in answer { deliver(element) }
        if listening == nil, isConnected { listening = Task { await listen() } }
    }

    /// Receives the messages that answer no request.
    private func listen() async {
        do {
            let events = try await manager.stream(
                makeRequest("GET"), of: ServerSentEvent.self, reconnecting: reconnection)
            for try await event in events { deliver(event) }
        } catch {
            // A server without such a stream answers with status 405.
            logger.debug("the server sends no messages on its own: \(error)")
        }
    }

    private func makeRequest(_ method: String) -> SessionRequest {
        var request = SessionRequest(endpoint, method: method)
        request.headers["Accept"] = method == "GET" ? "text/event-stream" : "application/json, text/event-stream"
        request.headers["Mcp-Session-Id"] = sessionID
        request.headers["MCP-Protocol-Version"] = version
        return request
    }

    /// Passes on a message: the data of an event, or a body of JSON.
    private func deliver(_ element: any Sendable) {
        let message: Data
        switch element {
        case let event as ServerSentEvent: message = Data(event.data.utf8)
        case let value as JSON: message = Data(value.serialized().utf8)
        default: return
        }
        // An event without data only names a place to go on from.
        guard !message.isEmpty else { return }
        if version == nil { version = (try? JSON(parsing: message))?["result"]?["protocolVersion"]?.string }
        continuation.yield(message)
    }
}
