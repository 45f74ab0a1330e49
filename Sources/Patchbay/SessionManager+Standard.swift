public import PatchbayManager
public import PatchbayPlatform
public import PatchbayRegistry

#if os(Linux)
    public import PatchbayCurl
#else
    import PatchbayURLSession
#endif

extension SessionManager {
    #if os(Linux)
        /// A manager over libcurl.
        ///
        /// - Parameters:
        ///   - baseURL: what relative targets are resolved against; a path in it counts as a folder, with or without `/`.
        ///   - tls: how hosts are to prove who they are: `TLSSettings(certificateAuthorities: "/etc/ssl/ours.pem")` trusts an
        ///     authority of your own. For settings host by host give `CurlTransport` a configuration.
        public convenience init(
            baseURL: URL? = nil, registry: SerializerRegistry = .standard, tls: TLSSettings = TLSSettings(),
            configuration: SessionConfiguration = SessionConfiguration()
        ) {
            self.init(
                baseURL: baseURL, registry: registry,
                transport: CurlTransport(configuration: CurlTransport.Configuration(tls: tls)),
                configuration: configuration)
        }
    #else
        /// A manager over URLSession.
        public convenience init(
            baseURL: URL? = nil, registry: SerializerRegistry = .standard,
            configuration: SessionConfiguration = SessionConfiguration()
        ) {
            self.init(
                baseURL: baseURL, registry: registry, transport: URLSessionTransport(), configuration: configuration)
        }
    #endif
}
