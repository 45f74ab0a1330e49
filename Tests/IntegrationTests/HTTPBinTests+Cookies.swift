import Foundation
import Patchbay
import TestSupport
import Testing

/// What a jar keeps between calls, and what without one is not kept.
extension HTTPBinTests {
    @Test("1.8.9: with a jar, a cookie set in a redirect comes back, and is gone when the server deletes it")
    func aJarKeepsCookies() async throws {
        var configuration = SessionConfiguration()
        let jar = CookieJar()
        configuration.cookies = jar
        let manager = SessionManager(baseURL: HTTPBin.url, configuration: configuration)
        let json = try await manager.get("cookies/set?fruit=pear", as: JSON.self)
        #expect(json == ["cookies": ["fruit": "pear"]])
        #expect(try await manager.get("cookies", as: JSON.self) == ["cookies": ["fruit": "pear"]])
        #expect(jar.cookies.map(\.name) == ["fruit"])

        var request = SessionRequest("cookies")
        request.usesCookies = false
        #expect(try await manager.send(request, as: JSON.self).value == ["cookies": [:]])
        #expect(try await manager.get("cookies/delete?fruit", as: JSON.self) == ["cookies": [:]])
        #expect(jar.cookies.isEmpty)
    }
}
