import Foundation
import Patchbay
import PatchbayCurl
import PatchbayMigration
import PatchbayTesting
import PatchbayURLSession
import TestSupport

extension Row {
    static let interceptors = [
        Row("RequestInterceptor.adapt(_:)") { here, ending in
            let interceptor: any RequestInterceptor = Named(ending: ending)
            defer { here.preconditionIsolated() }
            _ = try await interceptor.adapt(SessionRequest("x"))
        },
        Row("RequestInterceptor.adapt(_:)", throwsFailure: false) { here, _ in
            defer { here.preconditionIsolated() }
            _ = try await Unnamed().adapt(SessionRequest("x"))
        },
        Row("RequestInterceptor.sign(_:body:)") { here, ending in
            let interceptor: any RequestInterceptor = Named(ending: ending)
            var head = RequestHead(method: "GET", url: URL(filePath: "/"))
            defer { here.preconditionIsolated() }
            try await interceptor.sign(&head, body: nil)
        },
        Row("RequestInterceptor.sign(_:body:)", throwsFailure: false) { here, _ in
            var head = RequestHead(method: "GET", url: URL(filePath: "/"))
            defer { here.preconditionIsolated() }
            try await Unnamed().sign(&head, body: nil)
        },
        Row("RequestInterceptor.retry(_:after:)", throwsFailure: false) { here, ending in
            let interceptor: any RequestInterceptor = Named(ending: ending)
            let error = try await Ending.observed().error
            defer { here.preconditionIsolated() }
            _ = await interceptor.retry(SessionRequest("x"), after: error)
        },
        Row("RequestInterceptor.retry(_:after:)", throwsFailure: false) { here, _ in
            let error = try await Ending.observed().error
            defer { here.preconditionIsolated() }
            _ = await Unnamed().retry(SessionRequest("x"), after: error)
        },
        Row("ClosureInterceptor.adapt(_:)") { here, ending in
            let interceptor = ClosureInterceptor(adapt: { request in
                try ending.check()
                return request
            })
            defer { here.preconditionIsolated() }
            _ = try await interceptor.adapt(SessionRequest("x"))
        },
        Row("ClosureInterceptor.retry(_:after:)", throwsFailure: false) { here, _ in
            let error = try await Ending.observed().error
            defer { here.preconditionIsolated() }
            _ = await ClosureInterceptor().retry(SessionRequest("x"), after: error)
        },
        Row("RetryPolicy.retry(_:after:)", throwsFailure: false) { here, _ in
            let error = try await Ending.observed().error
            defer { here.preconditionIsolated() }
            _ = await RetryPolicy().retry(SessionRequest("x"), after: error)
        },
        Row("AuthenticationInterceptor.adapt(_:)") { here, ending in
            let interceptor = AuthenticationInterceptor(
                ending.authenticator, credential: .init(token: "t", expires: .now),
                hosts: [try HostPattern(pattern: "origin.test")])
            defer { here.preconditionIsolated() }
            _ = try await interceptor.adapt(SessionRequest("https://origin.test/"))
        },
        Row("AuthenticationInterceptor.retry(_:after:)", throwsFailure: false) { here, ending in
            let interceptor = AuthenticationInterceptor(ending.authenticator, credential: .init(token: "t"))
            let error = try await Ending.observed().error
            defer { here.preconditionIsolated() }
            _ = await interceptor.retry(SessionRequest("x"), after: error)
        },
        Row("BearerScheme.refresh(_:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.authenticator.refresh(.init(token: "t"))
        },
        refresh(BearerScheme.self, .init(token: "t")) { $0.authenticator },
    ]

    private static func refresh<Scheme: AuthenticationScheme>(
        _ type: Scheme.Type, _ credential: Scheme.Credential, _ scheme: @escaping @Sendable (Ending) -> Scheme
    ) -> Row {
        Row("AuthenticationScheme.refresh(_:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await scheme(ending).refresh(credential)
        }
    }

    static let observers = [
        Row("SessionObserver.observe(_:)", throwsFailure: false) { here, _ in
            let observer: any SessionObserver = ClosureObserver { _ in await Task.yield() }
            let event = try await Ending.observed().event
            defer { here.preconditionIsolated() }
            await observer.observe(event)
        },
        Row("ClosureObserver.observe(_:)", throwsFailure: false) { here, _ in
            let event = try await Ending.observed().event
            defer { here.preconditionIsolated() }
            await ClosureObserver { _ in await Task.yield() }.observe(event)
        },
        Row("NotificationObserver.observe(_:)", throwsFailure: false) { here, _ in
            let event = try await Ending.observed().event
            defer { here.preconditionIsolated() }
            await NotificationObserver(.alamofire).observe(event)
        },
        Row("OneShot.fired()", throwsFailure: false) { here, _ in
            let signal = OneShot()
            Task.detached { signal.fire() }
            defer { here.preconditionIsolated() }
            await signal.fired()
        },
        Row("OneShot.fired(unless:)", throwsFailure: false) { here, _ in
            let signal = OneShot()
            Task.detached { signal.fire() }
            defer { here.preconditionIsolated() }
            await OneShot().fired(unless: signal)
        },
        Row("MultipartFormData.write(to:)") { here, ending in
            let file = Ending.newFile()
            try ending == .failure ? Data().write(to: file) : ()
            defer { here.preconditionIsolated() }
            try await MultipartFormData().write(to: file)
        },
    ]

    static let transports = [
        Row("Transport.perform(_:for:)") { here, ending in
            let transport: any Transport = ending.transport
            defer { here.preconditionIsolated() }
            _ = try await transport.perform(Ending.request(nil), for: Receiver())
        },
        Row("StubTransport.perform(_:for:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.transport.perform(Ending.request(nil), for: Receiver())
        },
        Row("CurlTransport.perform(_:for:)") { here, ending in
            let server = try ending.server()
            defer { here.preconditionIsolated() }
            _ = try await CurlTransport().perform(Ending.request(server), for: Receiver())
        },
        Row("URLSessionTransport.perform(_:for:)") { here, ending in
            let server = try ending.server()
            defer { here.preconditionIsolated() }
            _ = try await URLSessionTransport().perform(Ending.request(server), for: Receiver())
        },
    ]

    static let conformance = [
        Row("checkConformance(of:good:bad:)") { here, ending in
            defer { here.preconditionIsolated() }
            try await checkConformance(of: TextSerializer(), good: [ending.sample], bad: [])
        },
        Row("checkConformance(of:good:bad:areEqual:)") { here, ending in
            defer { here.preconditionIsolated() }
            try await checkConformance(of: TextSerializer(), good: [ending.sample], bad: [], areEqual: { $0 == $1 })
        },
        Row("checkElementConformance(of:good:bad:unfinished:)") { here, ending in
            let good = ElementSample(ending.sample, [[1]] as [JSON])
            defer { here.preconditionIsolated() }
            try await checkElementConformance(of: NDJSONSerializer(), good: [good], bad: [], unfinished: nil)
        },
        Row("checkConformance(of:decoding:good:bad:)") { here, ending in
            defer { here.preconditionIsolated() }
            try await checkConformance(
                of: JSONSerializer(), decoding: [Int].self, good: [ending.sample], bad: [])
        },
        Row("checkConformance(of:writing:as:refusing:declining:)") { here, ending in
            defer { here.preconditionIsolated() }
            try await checkConformance(
                of: JSONSerializer(), writing: [1], as: .json, refusing: ending == .failure ? [1] : [])
        },
        Row("checkElementConformance(of:writing:as:refusing:)") { here, ending in
            defer { here.preconditionIsolated() }
            try await checkElementConformance(
                of: NDJSONSerializer(), writing: [1], as: .ndjson, refusing: ending == .failure ? [1] : [])
        },
    ]
}

private struct Named: RequestInterceptor {
    let ending: Ending

    func adapt(_ request: SessionRequest) async throws -> SessionRequest {
        await Task.yield()
        try ending.check()
        return request
    }

    func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
        await Task.yield()
        try ending.check()
    }

    func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
        await Task.yield()
        return .retry
    }
}

/// Has what every interceptor has.
private struct Unnamed: RequestInterceptor {}

private final class Receiver: ExchangeReceiver {
    let stop = OneShot()
    func receive(status: Int, fields: HeaderFields) -> TransportFlow { .proceed }
    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow { .proceed }
    func sent(_ bytes: Int) {}
}

extension Ending {
    /// A good one, or one that every serializer refuses.
    fileprivate var sample: ConformanceSample {
        let bytes: [UInt8] = self == .success ? Array("[1]".utf8) : [0xFF]
        return ConformanceSample("numbers", bytes, contentType: "application/json")
    }

    fileprivate var authenticator: BearerScheme {
        BearerScheme { credential in
            await Task.yield()
            try check()
            return credential
        }
    }

    /// Answers, or breaks off.
    fileprivate func server() throws -> RawServer {
        try RawServer(always: self == .success ? .response(body: "x") : RawReply([.reset]))
    }

    fileprivate static func request(_ server: RawServer?) throws -> TransportRequest {
        guard let url = server?.url() ?? URL(string: "http://origin.test/") else { throw Failure() }
        return TransportRequest(head: RequestHead(url: url))
    }
}
