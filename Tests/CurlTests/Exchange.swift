import PatchbayCurl
import PatchbayManager
import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What came of one exchange: how it ended, and what was received until then.
struct Exchange: Sendable {
    let result: Result<ExchangeTimings, TransportFailure>
    let record: RecordingReceiver.Record

    /// The code of the failure; nil for a success.
    var code: TransportFailure.Code? { result.failure?.code }

    var timings: ExchangeTimings? { try? result.get() }
}

extension Transport {
    /// Performs one exchange and gives what came of it.
    func exchange(
        _ url: URL, method: String = "GET", fields: HeaderFields = [:], body: [UInt8]? = nil,
        isSuspendable: Bool = false,
        receiver: RecordingReceiver = RecordingReceiver()
    ) async -> Exchange {
        var request = TransportRequest(
            head: RequestHead(method: method, url: url, fields: fields), body: body.map { .data(Data($0)) })
        request.isSuspendable = isSuspendable
        return await exchange(request, receiver)
    }

    /// Sends a body that is read on the way.
    func exchange(_ url: URL, method: String, source: some RequestBodySource) async -> Exchange {
        await exchange(
            TransportRequest(head: RequestHead(method: method, url: url), body: .source(source)), RecordingReceiver())
    }

    func exchange(_ request: TransportRequest, _ receiver: RecordingReceiver) async -> Exchange {
        do throws(TransportFailure) {
            let timings = try await perform(request, for: receiver)
            return Exchange(result: .success(timings), record: receiver.record)
        } catch {
            return Exchange(result: .failure(error), record: receiver.record)
        }
    }
}

/// Gives each request the same connection settings, as a manager does.
struct ConnectedTransport: Transport {
    let base: CurlTransport
    let connection: ConnectionSettings

    init(_ base: CurlTransport = CurlTransport(), tls: TLSSettings? = TLSSettings(), connectionsPerHost: Int? = nil) {
        self.base = base
        var connection = ConnectionSettings()
        (connection.tls, connection.connectionsPerHost) = (tls, connectionsPerHost)
        self.connection = connection
    }

    init(_ base: CurlTransport = CurlTransport(), _ connection: ConnectionSettings) {
        (self.base, self.connection) = (base, connection)
    }

    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        var request = request
        request.connection = connection
        return try await base.perform(request, for: receiver)
    }
}

extension Result {
    /// The error; nil for a success.
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
