import Foundation
public import PatchbayManager

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportFailure.Code {
    /// Too many received bytes waited for the reader, and the transport cannot be paused.
    public static let undeliveredBytes = Self(rawValue: "undeliveredBytes")
}

extension TransportFailure {
    static let headless = Self(.malformedResponse, "the response has no final status")

    static func undelivered(limit: Int) -> Self {
        Self(.undeliveredBytes, "the reader fell more than \(limit) bytes behind, and URLSession cannot be paused")
    }

    /// The meaning of Foundation's error: that of its code. If the code says too little, libcurl's text decides.
    init(_ error: any Error) {
        let error = error as NSError
        let code = error.domain == NSURLErrorDomain ? error.code : NSURLErrorUnknown
        let text = Self.vague.contains(code) ? error.localizedDescription.lowercased() : ""
        self = Self.byText.first { text.contains($0.fragment) }?.failure ?? Self.meaning(of: code)
    }

    #if canImport(FoundationNetworking)
        /// Most failures have the code "unknown" on Linux. An empty reply has the code of a bad one. A connection that
        /// was refused at the host's first address and made to another makes every later failure "cannot connect".
        private static let vague: Set = [
            NSURLErrorUnknown, NSURLErrorBadServerResponse, NSURLErrorCannotConnectToHost,
        ]
    #else
        /// The texts of Apple's Foundation are in the language of the person.
        private static let vague: Set<Int> = []
    #endif

    private static let unresolved = Self(.unresolvedHost, "the name of the host could not be resolved")
    private static let refused = Self(.refusedConnection, "the connection was refused")
    private static let lost = Self(.lostConnection, "the connection was lost")
    private static let insecure = Self(.insecureConnection, "no secure connection could be made")
    private static let malformed = Self(.malformedResponse, "the response breaks the rules of HTTP")
    private static let truncated = Self(.truncatedBody, "the body ended before its announced end")
    private static let undecodable = Self(.undecodableContent, "the body could not be decoded from its content coding")

    /// The first fragment that the text contains decides. The first two stand in texts that name the host.
    private static let byText: [(fragment: String, failure: Self)] = [
        ("could not resolve", unresolved),
        ("failed to connect", refused),
        ("empty reply from server", lost),
        ("remaining to read", truncated),
        ("read data remaining", truncated),
        ("content unencoding", undecodable),
        ("content encoding", undecodable),
        ("chunked-encoding", malformed),
        ("content-length", malformed),
        ("header", malformed),
        // libcurl's text for a header line over its size limit.
        ("out of memory", malformed),
        ("ssl", insecure),
        ("tls", insecure),
        ("certificate", insecure),
    ]

    private static func meaning(of code: Int) -> Self {
        switch code {
        case NSURLErrorCancelled: Self(.stopped, "the exchange was stopped")
        case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed: unresolved
        case NSURLErrorCannotConnectToHost: refused
        case NSURLErrorNotConnectedToInternet: Self(.refusedConnection, "there is no connection to the internet")
        case NSURLErrorInternationalRoamingOff, NSURLErrorCallIsActive, NSURLErrorDataNotAllowed:
            Self(.refusedConnection, "the cellular network allows no connection now")
        // Not a code of connecting: the host can have processed the request.
        case NSURLErrorTimedOut:
            Self(.lostConnection, "the connection or the response took longer than the system waits")
        case NSURLErrorNetworkConnectionLost, NSURLErrorRequestBodyStreamExhausted: lost
        case NSURLErrorAppTransportSecurityRequiresSecureConnection:
            Self(
                .unsupportedRequest,
                "App Transport Security refuses http; use https, or allow the host by NSAppTransportSecurity in Info.plist"
            )
        case NSURLErrorClientCertificateRequired: Self(.insecureConnection, "the host wants a client certificate")
        case NSURLErrorSecureConnectionFailed, NSURLErrorClientCertificateRejected,
            NSURLErrorServerCertificateHasBadDate, NSURLErrorServerCertificateUntrusted,
            NSURLErrorServerCertificateHasUnknownRoot, NSURLErrorServerCertificateNotYetValid:
            insecure
        // The scheme was checked before, so an unsupported "URL" is an unsupported version or status.
        case NSURLErrorBadServerResponse, NSURLErrorCannotParseResponse, NSURLErrorUnsupportedURL: malformed
        case NSURLErrorZeroByteResource: truncated
        case NSURLErrorCannotDecodeRawData, NSURLErrorCannotDecodeContentData: undecodable
        case NSURLErrorBadURL: Self(.unsupportedRequest, "URLSession does not accept the URL")
        default: Self(.other, "URLSession failed with code \(code)")
        }
    }
}
