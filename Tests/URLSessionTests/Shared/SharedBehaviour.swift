#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayURLSession
    import TestSupport
    import Testing

    /// One thing that a user can rely on whatever carries the exchange, as a check that runs on each transport.
    struct SharedBehaviour: Sendable, CustomTestStringConvertible {
        let name: String
        /// Why URLSession on Linux cannot do this; nil where it can. The check is run there all the same, and must fail.
        let exception: String?
        let check: @Sendable (Carrier) async throws -> Void

        init(
            _ name: String, exception: String? = nil, _ check: @escaping @Sendable (Carrier) async throws -> Void
        ) {
            self.name = name
            self.exception = exception
            self.check = check
        }

        var testDescription: String { name }

        static let all = Array([requests, responses, redirects, transfers, httpbin, exceptions].joined())

        static func manager(
            _ carrier: Carrier, _ server: RawServer, _ configuration: SessionConfiguration = SessionConfiguration()
        ) -> SessionManager {
            SessionManager(
                baseURL: server.url(), registry: .standard, transport: carrier.transport, configuration: configuration)
        }

        static func json(_ text: String, status: Int = 200, _ fields: HeaderFields = [:]) -> RawReply {
            var fields = fields
            fields["Content-Type"] = "application/json"
            return .response(status: status, fields, body: text)
        }

        /// Tells the client what it sent.
        static func echo(_ request: RawServer.Request) -> RawReply {
            let members: [(String, JSON)] = [
                ("method", JSON(request.method)), ("target", JSON(request.target)), ("text", JSON(request.text)),
                ("type", request.fields["Content-Type"].map { JSON($0) } ?? .null),
                ("authorization", request.fields["Authorization"].map { JSON($0) } ?? .null),
            ]
            return json(JSON.object(members).serialized())
        }
    }
#endif
