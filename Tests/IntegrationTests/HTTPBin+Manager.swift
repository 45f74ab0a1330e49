import Patchbay
import TestSupport

extension HTTPBin {
    /// A manager as a user makes one: the standard registry and the default transport.
    static func manager() -> SessionManager {
        SessionManager(baseURL: url)
    }
}
