public import PatchbayRegistry

extension CurlTransport {
    /// What a transport may use; every default is visible here.
    public struct Configuration: Sendable, Hashable {
        /// How many connections may be open at once; more exchanges wait for one.
        public var maximumConnections: Int
        /// How many of them to one host and port.
        public var maximumConnectionsPerHost: Int
        /// How many content codings a body may have, one on top of the other, 1 at least; more are an error.
        public var maximumContentCodings: Int
        /// How many bytes a content coding may take beyond those that the body has given by then, its beginning and padding among
        /// them; more are an error. A body that is honest takes fewer than it gives.
        public var maximumCodingOverhead: Int
        /// How connections are secured to the hosts that no pattern of `tlsByHost` names; nil refuses https to those.
        public var tls: TLSSettings?
        /// How connections are secured to the hosts of each pattern: of several that match, the narrowest alone counts.
        public var tlsByHost: [HostPattern: TLSSettings]

        /// Settings with these values.
        public init(
            maximumConnections: Int = 256, maximumConnectionsPerHost: Int = 64, maximumContentCodings: Int = 2,
            maximumCodingOverhead: Int = 64 << 20, tls: TLSSettings? = TLSSettings(),
            tlsByHost: [HostPattern: TLSSettings] = [:]
        ) {
            self.maximumConnections = maximumConnections
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.maximumContentCodings = maximumContentCodings
            self.maximumCodingOverhead = maximumCodingOverhead
            self.tls = tls
            self.tlsByHost = tlsByHost
        }

        /// The settings for a host; nil where there are none.
        func tls(for host: CanonicalHost) -> TLSSettings? {
            guard !tlsByHost.isEmpty else { return tls }
            let named = tlsByHost.filter { $0.key.matches(host) }
            return named.max { $0.key.specificity < $1.key.specificity }?.value ?? tls
        }
    }
}
