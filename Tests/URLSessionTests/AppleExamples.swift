import Foundation
import Patchbay
import PatchbayCurl

func withLibcurl(at server: URL) -> SessionManager {
    SessionManager(baseURL: server, transport: CurlTransport())
}

func onEveryPlatform(at server: URL) -> SessionManager {
    var configuration = SessionConfiguration()
    configuration.cookies = CookieJar()
    #if os(Linux)
        configuration.connection.connectionsPerHost = 8
        let transport = CurlTransport()
    #else
        let transport = URLSessionTransport(maximumConnectionsPerHost: 8)
    #endif
    return SessionManager(baseURL: server, transport: transport, configuration: configuration)
}
