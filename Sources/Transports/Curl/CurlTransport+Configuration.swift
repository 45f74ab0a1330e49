extension CurlTransport {
    /// What a transport may use; every default is visible here.
    public struct Configuration: Sendable, Hashable {
        /// How many connections may be open at once; more exchanges wait for one.
        public var maximumConnections: Int
        /// How many of them to one host and port.
        public var maximumConnectionsPerHost: Int
        /// The path of a PEM file with the certificate authorities to trust in place of the system's; nil trusts the system's.
        public var certificateAuthorities: String?

        public init(
            maximumConnections: Int = 256, maximumConnectionsPerHost: Int = 64, certificateAuthorities: String? = nil
        ) {
            self.maximumConnections = maximumConnections
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.certificateAuthorities = certificateAuthorities
        }
    }
}
