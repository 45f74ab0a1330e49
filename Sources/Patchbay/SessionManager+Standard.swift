public import PatchbayManager
public import PatchbayPlatform
public import PatchbayRegistry

#if os(Linux)
    import PatchbayCurl
#else
    import PatchbayURLSession
#endif

extension SessionManager {
    /// A manager over the transport of the platform: libcurl on Linux, URLSession on Apple platforms.
    /// - Parameters:
    ///   - baseURL: the URL that relative targets are resolved against. Its path is treated as a folder, with or
    ///     without `/` at its end.
    ///   - registry: the table that chooses the serializers.
    ///   - configuration: the settings of the manager.
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

    /// A manager with the standard registry over a transport of your own.
    /// - Parameters:
    ///   - baseURL: the URL that relative targets are resolved against. Its path is treated as a folder, with or
    ///     without `/` at its end.
    ///   - transport: carries out the exchanges.
    ///   - configuration: the settings of the manager.
    public convenience init(
        baseURL: URL? = nil, transport: any Transport, configuration: SessionConfiguration = SessionConfiguration()
    ) {
        self.init(baseURL: baseURL, registry: .standard, transport: transport, configuration: configuration)
    }
}
