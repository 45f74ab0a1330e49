#if os(Linux) || os(macOS)
    import PatchbayCodings
    import PatchbayCurl
    public import PatchbayManager
    public import PatchbayPlatform
    import PatchbayRegistry

    /// Compresses the body that another serializer, or the caller, has put into a request, and sets `Content-Encoding`.
    ///
    /// ```swift
    /// configuration.requestSerializer = CompressingParameterSerializer(.deflate, after: .json)
    /// ```
    ///
    /// Only bodies in memory are compressed. An empty body, and a body that is read while it is sent, are sent
    /// unchanged. Servers need not understand a coding that they have not offered (RFC 9110, section 8.4), so use this
    /// only for servers that are known to understand it.
    public struct CompressingParameterSerializer: ParameterSerializer {
        /// RFC 9110, section 8.4.1: `deflate` is a zlib stream (RFC 1950), `gzip` a gzip file (RFC 1952).
        public enum Coding: String, Sendable {
            case deflate, gzip
        }

        /// The handling of a request that has a `Content-Encoding` field of its own.
        public enum Duplicate: Sendable {
            /// The request fails.
            case refuse
            /// The body of the request is compressed, and the field is replaced.
            case replace
            /// The request is sent unchanged.
            case skip
        }

        /// The coding of the body.
        public var coding: Coding
        /// The handling of a request that has a `Content-Encoding` field already.
        public var duplicate: Duplicate
        /// Whether the bytes of a body are worth compressing.
        public var isWorthIt: @Sendable (Data) -> Bool
        private let base: any ParameterSerializer

        /// - Parameters:
        ///   - coding: the content coding.
        ///   - base: the serializer whose body is compressed.
        ///   - duplicate: the handling of a request that already has a `Content-Encoding`.
        ///   - isWorthIt: whether the bytes are worth compressing.
        public init(
            _ coding: Coding = .deflate, after base: some ParameterSerializer = .form, duplicate: Duplicate = .refuse,
            isWorthIt: @escaping @Sendable (Data) -> Bool = { _ in true }
        ) {
            self.coding = coding
            self.base = base
            self.duplicate = duplicate
            self.isWorthIt = isWorthIt
        }

        /// Writes the parameters. The body is compressed when it is made, also a body that an entry writes.
        /// - Throws: the error of `base`; `ParametersFailure` for a second `Content-Encoding`.
        public func serialize(_ parameters: Parameters?, into request: inout SessionRequest) throws {
            try base.serialize(parameters, into: &request)
            guard request.content != nil else { return }
            if request.headers["Content-Encoding"] != nil {
                switch duplicate {
                case .refuse:
                    throw ParametersFailure("it has a Content-Encoding field already, and its body is to get one")
                case .replace: break
                case .skip: return
                }
            }
            request.added.coding = { data throws(SessionError) in
                guard isWorthIt(data) else { return nil }
                guard let bytes = (coding == .gzip ? ContentCoding.gzip : .deflate).encode(data) else {
                    throw .unsent("its body could not be compressed: zlib is not there, or no memory")
                }
                return (coding.rawValue, bytes)
            }
        }
    }
#endif
