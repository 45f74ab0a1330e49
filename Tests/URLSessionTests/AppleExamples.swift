import Foundation
import Patchbay
import PatchbayCurl

func withLibcurl(at server: URL) -> SessionManager {
    SessionManager(baseURL: server, transport: CurlTransport())
}
