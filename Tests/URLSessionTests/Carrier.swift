#if os(Linux)
    import Patchbay
    import PatchbayURLSession

    /// One of the two transports on Linux.
    enum Carrier: String, CaseIterable, Sendable {
        case libcurl, urlSession

        var transport: any Transport {
            switch self {
            case .libcurl: CurlTransport()
            case .urlSession: URLSessionTransport()
            }
        }
    }
#endif
