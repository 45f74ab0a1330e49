import Foundation
import Patchbay
import PatchbayTesting

struct Reading: Decodable { let sensor: String, value: Double }

func readings(_ manager: SessionManager) async throws(SessionError) {
    for try await reading in try await manager.stream("readings", of: Reading.self) {
        print(reading.sensor, reading.value)
    }
}

func firstFailure(_ manager: SessionManager, _ job: SessionRequest) async throws(SessionError) -> String? {
    var request = job
    request.idleTimeout = .seconds(15)
    let stream = try await manager.stream(request, of: ServerSentEvent.self)
    for try await event in stream where event.type == "failure" {
        return event.data  // leaves the loop, and so ends the exchange
    }
    print(stream.head.status, stream.trailers ?? [:])
    return nil
}

struct Token: Decodable { let text: String }

@MainActor final class Answer {
    private(set) var text = ""
    private(set) var problem: String?
    private var reading: Task<Void, Never>?

    func ask(_ manager: SessionManager, _ question: SessionRequest) {
        reading = Task {
            do throws(SessionError) {
                for try await token in try await manager.stream(question, of: Token.self) { text += token.text }
            } catch {
                problem = error.code == .cancelled ? "stopped" : "\(error)"
            }
        }
    }

    func stop() { reading?.cancel() }
}

func chat(_ server: URL) throws -> SessionManager {
    let manifest = ManifestSource.text(
        """
        {
          "manifestVersion": 1,
          "plugins": [{ "id": "server-sent-events", "options": { "until": "[DONE]" } }]
        }
        """)
    let manager = SessionManager(baseURL: server, registry: try SerializerRegistry([manifest]))
    return manager
}

func stubbed(_ server: URL) -> SessionManager {
    let transport = StubTransport { _ in
        StubReply(
            fields: ["Content-Type": "application/x-ndjson"],
            chunks: [Data(#"{"text": "Hel"#.utf8), Data("lo\"}\n".utf8)],
            failure: TransportFailure(.lostConnection, "the connection was lost"))
    }
    let manager = SessionManager(baseURL: server, registry: .standard, transport: transport)
    return manager
}

func followEvents(_ manager: SessionManager) async throws(SessionError) {
    for try await event in try await manager.stream("events", of: ServerSentEvent.self, reconnecting: .standard) {
        print(event.lastEventID, event.data)
    }
}

func followPatiently(_ manager: SessionManager) async throws(SessionError) {
    var reconnection = EventReconnection.standard
    reconnection.delay = .seconds(10)
    reconnection.maximumAttempts = 5
    let events = try await manager.stream("events", of: ServerSentEvent.self, reconnecting: reconnection)
    for try await event in events { print(event.data) }
}

struct Question: Encodable { let sensor: String }

func talk(_ manager: SessionManager, _ questions: AsyncStream<Question>) async throws(SessionError) {
    let request = SessionRequest("readings", method: "POST", content: .elements(questions, in: .ndjson))
    for try await reading in try await manager.stream(request, of: Reading.self) {
        print(reading.value)  // while there are questions to come
    }
}

func send(
    _ film: URL, summedBy digest: @escaping @Sendable () throws -> String, _ manager: SessionManager
) async throws(SessionError) {
    try await manager.upload(
        .file(film).trailers("Content-Digest") { ["Content-Digest": try digest()] }, to: "films")
}
