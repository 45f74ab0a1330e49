import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport

@testable import PatchbayManager

extension SessionErrorRow {
    /// What goes wrong on the way.
    static let exchanges: [SessionErrorRow] = carried + ended + redirected

    /// Ends every exchange well, without a response.
    private struct Silent: Transport {
        func perform(_ request: TransportRequest, for receiver: some ExchangeReceiver) -> ExchangeTimings {
            ExchangeTimings()
        }
    }

    private static let carried = [
        SessionErrorRow(
            "no connection", alamofire: "sessionTaskFailed", .transport,
            "GET origin.test/a: the connection was refused", cause: "TransportFailure"
        ) {
            let (manager, _) = try stubManager { _ in
                throw TransportFailure(.refusedConnection, "the connection was refused")
            }
            _ = try await manager.send("a")
        },
        SessionErrorRow(
            "a connection that is lost in the body", alamofire: "sessionTaskFailed", .transport,
            "GET origin.test/a: the connection was lost", cause: "TransportFailure"
        ) {
            let lost = TransportFailure(.lostConnection, "the connection was lost")
            try await send(StubReply(fields: ["Content-Type": "application/json"], body: "[", failure: lost))
        },
        SessionErrorRow(
            "a certificate that is not trusted", alamofire: "serverTrustEvaluationFailed", .transport,
            "GET origin.test/a: the certificate of the host is not to be trusted", cause: "TransportFailure"
        ) {
            let (manager, _) = try stubManager { _ in
                throw TransportFailure(.insecureConnection, "the certificate of the host is not to be trusted")
            }
            _ = try await manager.send("a")
        },
        SessionErrorRow(
            "a response without a head", .transport,
            "GET origin.test: the connection ended before the response had a head", cause: "TransportFailure"
        ) {
            let manager = SessionManager(registry: try TestRegistry.make(), transport: Silent())
            _ = try await manager.send("http://origin.test/")
        },
        SessionErrorRow(
            "a part of a form that is shorter than it said", alamofire: "multipartEncodingFailed", .unreadableContent,
            "POST origin.test/a: the content could not be read: a part of the form has more or fewer bytes than were "
                + "announced"
        ) {
            let (manager, _) = try stubManager { _ in .json("1") }
            var form = MultipartFormData()
            form.append(length: 4, name: "s") { ScriptedSource([.text("abc")]) }
            _ = try await manager.upload(.multipart(form), to: "a")
        },
        SessionErrorRow(
            "a stream that throws", alamofire: "sessionTaskFailed", .unreadableContent,
            "POST origin.test/a: the content could not be read: its source threw Broken", cause: "Broken"
        ) {
            let (manager, _) = try stubManager { _ in .json("1") }
            _ = try await manager.send(
                SessionRequest(
                    "a", method: "POST", content: .stream(Anew { ByteChunks(["a"], end: .failure) }, isRepeatable: true)
                ))
        },
    ]

    private static let ended = [
        SessionErrorRow(
            "no byte in time", alamofire: "sessionTaskFailed", .idleTimeout,
            "GET origin.test/a: no byte moved for 0.02 s"
        ) { try await send(StubReply(delay: .seconds(3600))) { $0.idleTimeout = .milliseconds(20) } },
        SessionErrorRow(
            "an attempt that takes too long", .attemptTimeout,
            "GET origin.test/a: the attempt was not over after 0.02 s"
        ) {
            var policy = RetryPolicy()
            (policy.limit, policy.attemptTimeout) = (0, .milliseconds(20))
            try await send(StubReply(delay: .seconds(3600))) { [policy] in $0.interceptors = [policy] }
        },
        SessionErrorRow(
            "not over in time", alamofire: "sessionTaskFailed", .totalTimeout,
            "GET origin.test/a: the call was not over after 0.02 s"
        ) { try await send(StubReply(delay: .seconds(3600))) { $0.totalTimeout = .milliseconds(20) } },
        SessionErrorRow(
            "a call that is cancelled", alamofire: "explicitlyCancelled", .cancelled,
            "GET origin.test/a: the call was cancelled"
        ) {
            let (manager, _) = try stubManager { _ in StubReply(delay: .seconds(3600)) }
            let call = manager.held(SessionRequest("a"))
            call.cancel()
            _ = try await call.reply
        },
    ]

    private static func redirect(
        _ location: String, _ reason: String, base: String = "http://origin.test/"
    ) -> SessionErrorRow {
        SessionErrorRow(
            "a redirect to \(location)", .redirectRefused,
            "GET origin.test/a: the redirect of status 302 was refused: \(reason)"
        ) { try await send(.redirect(302, to: location), nil, base: base) }
    }

    private static let redirected = [
        redirect(
            "http://origin.test/b", #"it leads from https to http: "http://origin.test/b""#,
            base: "https://origin.test/"),
        redirect(
            "ftp://ada:hush@origin.test/?k=hush",
            #"the scheme of its location "ftp://origin.test/" is ftp, not http or https"#),
        redirect("http:///b", #"its location "http:///b" has no host"#),
        redirect("http://a b:x/", "its location cannot be parsed"),
        SessionErrorRow(
            "a redirect of a body that cannot be read twice", .redirectRefused,
            "PUT origin.test/a: the redirect of status 307 was refused: the body of the request cannot be sent twice"
        ) {
            try await send(.redirect(307, to: "/b"), nil, "PUT") {
                let source = ScriptedSource([.text("abc")], rewinds: false)
                $0.content = RequestContent("text/x", making: { .source(source) })
            }
        },
        SessionErrorRow(
            "redirects without end", .tooManyRedirects,
            "GET origin.test/b: the call was redirected more than 10 times"
        ) { try await send(.redirect(302, to: "/b")) },
    ]
}
