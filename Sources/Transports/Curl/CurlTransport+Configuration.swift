public import PatchbayRegistry

extension CurlTransport {
    /// What a transport may use; every default is visible here.
    public struct Configuration: Sendable, Hashable {
        /// How many connections may be open at once; more exchanges wait for one.
        public var maximumConnections: Int
        /// How many of them to one host and port.
        public var maximumConnectionsPerHost: Int
        /// How connections are secured to the hosts that no pattern of `tlsByHost` names; nil refuses https to those.
        public var tls: TLSSettings?
        /// How connections are secured to the hosts of each pattern: of several that match, the narrowest alone counts.
        public var tlsByHost: [HostPattern: TLSSettings]

        public init(
            maximumConnections: Int = 256, maximumConnectionsPerHost: Int = 64, tls: TLSSettings? = TLSSettings(),
            tlsByHost: [HostPattern: TLSSettings] = [:]
        ) {
            self.maximumConnections = maximumConnections
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.tls = tls
            self.tlsByHost = tlsByHost
        }

        /// The settings for a host; nil where there are none.
        func tls(for host: CanonicalHost) -> TLSSettings? {
            let named = tlsByHost.filter { $0.key.matches(host) }
            return named.max { $0.key.specificity < $1.key.specificity }?.value ?? tls
        }
    }
}
