import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Timeouts that a request is given on its way, by its modifier or by an interceptor.
@Suite(.timeLimit(.minutes(5))) struct ChangedTimeoutTests {
    typealias Change = @Sendable (inout SessionRequest) -> Void

    /// Who changes the request.
    enum Place: String, CaseIterable, Sendable {
        case addition, configuration, request

        func apply(
            _ change: @escaping Change, _ request: inout SessionRequest, _ configuration: inout SessionConfiguration
        ) {
            let interceptor = MadeInterceptor(adapt: { request in
                var request = request
                change(&request)
                return request
            })
            switch self {
            case .addition: request.hook = MadeHook(change)
            case .configuration: configuration.interceptors = [interceptor]
            case .request: request.interceptors = [interceptor]
            }
        }
    }

    private static let quickly = Duration.milliseconds(50)

    @Test("1.7.9: timeouts that a modifier or an interceptor shortens end the call", arguments: Place.allCases)
    func shortened(_ place: Place) async throws {
        let changes: [(SessionError.Code, Change)] = [
            (.idleTimeout, { $0.idleTimeout = Self.quickly }), (.totalTimeout, { $0.totalTimeout = Self.quickly }),
        ]
        for (code, change) in changes {
            var configuration = SessionConfiguration()
            var request = SessionRequest("a")
            // The clock that is not changed ends the call later, and with another code.
            (request.idleTimeout, request.totalTimeout) = (.seconds(50), .seconds(50))
            place.apply(change, &request, &configuration)
            let (manager, _) = try stubManager(configuration: configuration) { _ in
                StubReply(delay: .seconds(3600))
            }
            let error = try #require(await #expect(throws: SessionError.self) { try await manager.send(request) })
            #expect(error.code == code)
            #expect(error.description.contains("after 0.05") || error.description.contains("for 0.05"), "\(error)")
            #expect(manager.taskList.timeoutCount == 0)
        }
    }

    @Test("1.7.9: timeouts that a modifier or an interceptor lengthens let the call be", arguments: Place.allCases)
    func lengthened(_ place: Place) async throws {
        var configuration = SessionConfiguration()
        (configuration.idleTimeout, configuration.totalTimeout) = (.seconds(400), .seconds(400))
        var request = SessionRequest("a")
        place.apply({ ($0.idleTimeout, $0.totalTimeout) = (.seconds(2000), .seconds(2000)) }, &request, &configuration)
        let gate = OneShot()
        let (manager, stub) = try stubManager(configuration: configuration) { _ in
            await gate.fired()
            return .json("1")
        }
        let call = Task { [request] in try await manager.send(request, as: Int.self).value }
        try await until { !stub.requests.isEmpty }
        manager.taskList.check(at: .now + .seconds(401))
        gate.fire()
        #expect(try await call.value == 1)
    }

    @Test("1.7.9: the total timeout of the last try holds for the interceptors that are asked about its failure")
    func whileRetrying() async throws {
        var request = SessionRequest("a")
        request.totalTimeout = .seconds(50)
        request.hook = MadeHook { $0.totalTimeout = Self.quickly }
        request.interceptors = [MadeInterceptor(retry: { _, _ in .retryAfter(.seconds(3600)) })]
        let (manager, _) = try stubManager { _ in .json("{}", status: 503) }
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send(request) })
        #expect(error.code == .totalTimeout)
        #expect(error.description.contains("after 0.05"), "\(error)")
    }
}
