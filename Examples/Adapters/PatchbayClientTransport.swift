// A transport for clients that swift-openapi-generator makes: `Client(serverURL: url, transport:
// PatchbayClientTransport(manager))`. The generated client decodes; retries, credentials, timeouts, connections and
// observers are those of the manager. Bodies are streamed in both directions.

import Foundation
import Patchbay
import StandInHTTPTypes  // In your package: import HTTPTypes
import StandInOpenAPIRuntime  // In your package: import OpenAPIRuntime

struct PatchbayClientTransport: ClientTransport {
    private let manager: SessionManager

    init(_ manager: SessionManager) { self.manager = manager }

    func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        var base = baseURL.absoluteString[...]
        // The path of the request begins with a slash.
        while base.hasSuffix("/") { base.removeLast() }
        var sent = SessionRequest(base + (request.path ?? ""), method: request.method.rawValue)
        for field in request.headerFields { sent.headers.append(field.value, for: field.name.rawName) }
        // Each status is a case of the generated output.
        sent.acceptableStatus = .any
        if let body {
            let length: Int64? = if case .known(let count) = body.length { count } else { nil }
            let type = sent.headers["Content-Type"].flatMap { MediaType(parsing: $0) } ?? .octetStream
            sent.content = .stream(
                body.map { Data($0) }, type: type, length: length, isRepeatable: body.iterationBehavior == .multiple)
        }
        let pieces = try await manager.stream(sent, of: Data.self)
        var response = HTTPResponse(status: HTTPResponse.Status(code: pieces.head.status))
        for field in pieces.head.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            response.headerFields.append(HTTPField(name: name, value: field.value))
        }
        let received = HTTPBody(pieces.map { ArraySlice($0) }, length: .unknown, iterationBehavior: .single)
        return (response, received)
    }
}
