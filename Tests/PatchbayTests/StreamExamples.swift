import Foundation
import Patchbay

struct Reading: Decodable { let sensor: String, value: Double }

func readings(_ manager: SessionManager) async throws(SessionError) {
    for try await reading in try await manager.stream("readings", of: Reading.self) {
        print(reading.sensor, reading.value)
    }
}

func firstFailure(_ manager: SessionManager, _ job: HTTPRequest) async throws(SessionError) -> String? {
    var request = job
    request.idleTimeout = .seconds(15)
    let stream = try await manager.stream(request, of: ServerSentEvent.self)
    for try await event in stream where event.type == "failure" {
        return event.data  // leaves the loop, and so ends the exchange
    }
    print(stream.head.status, stream.trailers ?? [:])
    return nil
}
