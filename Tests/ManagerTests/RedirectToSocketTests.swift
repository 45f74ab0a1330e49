import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

/// Redirects to hosts that are reached over a Unix socket.
@Suite(.timeLimit(.minutes(5))) struct RedirectToSocketTests {
    /// A chain of redirects, which begins at the first host, and the place where it ends.
    struct SocketChain: Sendable, CustomTestStringConvertible {
        let name: String
        let hosts: [String]
        /// The host whose socket is not reached; nil if the chain ends with a response.
        let refused: String?
        var all = ConnectionSettings()
        var testDescription: String { name }
    }

    static let socketChains: [SocketChain] = [
        SocketChain(
            name: "from the network to a socket", hosts: ["origin.test", "docker.local"], refused: "docker.local"),
        SocketChain(
            name: "to a socket of a pattern", hosts: ["origin.test", "a.sockets.test"], refused: "a.sockets.test"),
        SocketChain(
            name: "to a socket of an address", hosts: ["origin.test", "127.0.0.1:99"], refused: "127.0.0.1:99"),
        SocketChain(
            name: "to another spelling of it", hosts: ["origin.test", "2130706433:99"], refused: "2130706433:99"),
        SocketChain(
            name: "after a redirect in the network", hosts: ["origin.test", "other.test", "docker.local"],
            refused: "docker.local"),
        SocketChain(
            name: "after a redirect into the network", hosts: ["docker.local", "origin.test", "docker.local"],
            refused: "docker.local"),
        SocketChain(
            name: "from the only host in the network", hosts: ["network.test", "origin.test"], refused: "origin.test",
            all: ConnectionSettings(unixSocket: "/s")),
        SocketChain(name: "from a socket to itself", hosts: ["docker.local", "docker.local"], refused: nil),
        SocketChain(name: "from a socket to a socket", hosts: ["docker.local", "a.sockets.test"], refused: nil),
        SocketChain(name: "from a socket to the network", hosts: ["docker.local", "origin.test"], refused: nil),
        SocketChain(name: "in the network", hosts: ["origin.test", "127.0.0.1:98", "other.test"], refused: nil),
    ]

    @Test(
        "a redirect never leads from the network to a Unix socket", arguments: socketChains, [301, 302, 303, 307, 308])
    func socket(_ chain: SocketChain, _ status: Int) async throws {
        var configuration = SessionConfiguration()
        configuration.connection = chain.all
        let socket = ConnectionSettings(unixSocket: "/var/run/docker.sock")
        for host in ["docker.local", "127.0.0.1:99"] as [HostPattern] { configuration.connectionByHost[host] = socket }
        configuration.connectionByHost["*.sockets.test"] = ConnectionSettings(unixSocket: "/s")
        configuration.connectionByHost["network.test"] = ConnectionSettings()
        for asks in [false, true] {
            let (manager, stub) = try stubManager(configuration: configuration) { request in
                let hop = Int(request.head.url.query() ?? "") ?? 0
                guard chain.hosts.indices.contains(hop + 1) else { return .json("1") }
                return .redirect(status, to: "http://\(chain.hosts[hop + 1])/?\(hop + 1)")
            }
            var request = SessionRequest("http://\(chain.hosts[0])/", method: "POST", content: .value("body"))
            let asked = Guarded(0)
            if asks {
                request.redirects = RedirectHandler { _, _ in
                    asked.withLock { $0 += 1 }
                    return true
                }
            }
            guard let refused = chain.refused else {
                _ = try await manager.send(request)
                #expect(stub.requests.count == chain.hosts.count)
                continue
            }
            let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
            #expect(error?.code == .redirectRefused)
            let reason =
                "the redirect of status \(status) was refused: it leads from the network to the Unix socket of \(refused)"
            #expect(error?.description.hasSuffix(": \(reason)") == true, "\(error.map { "\($0)" } ?? "-")")
            #expect(stub.requests.count == chain.hosts.count - 1)
            #expect(asked.withLock { $0 } == (asks ? chain.hosts.count - 2 : 0))
        }
    }

    @Test("a handler's own location is no way to a Unix socket, and a redirect that is not followed is the response")
    func socketOfAHandler() async throws {
        var configuration = SessionConfiguration()
        configuration.connectionByHost["docker.local"] = ConnectionSettings(unixSocket: "/var/run/docker.sock")
        let location = Guarded("/next")
        let (manager, stub) = try stubManager(configuration: configuration) { _ in
            .redirect(307, to: location.withLock { $0 })
        }
        var request = SessionRequest("start", method: "POST", content: .value("body"))
        request.redirects = RedirectHandler { next, _ in
            next.url = URL(string: "http://docker.local/containers/create") ?? next.url
            return true
        }
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .redirectRefused)
        #expect(stub.requests.count == 1)

        location.withLock { $0 = "http://docker.local/" }
        request.redirects = .doNotFollow
        let unfollowed = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(unfollowed?.code == .status && unfollowed?.head?.status == 307)
    }
}
