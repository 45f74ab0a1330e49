public import PatchbayManager
public import PatchbayRegistry

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

#if os(Linux)
    import PatchbayCurl
#else
    import PatchbayURLSession
#endif

extension SessionManager {
    /// A manager over the platform's own transport: libcurl on Linux, URLSession on Apple platforms.
    public convenience init(
        baseURL: URL? = nil, registry: SerializerRegistry = .standard,
        configuration: SessionConfiguration = SessionConfiguration()
    ) {
        #if os(Linux)
            let transport = CurlTransport()
        #else
            let transport = URLSessionTransport()
        #endif
        self.init(baseURL: baseURL, registry: registry, transport: transport, configuration: configuration)
    }
}
