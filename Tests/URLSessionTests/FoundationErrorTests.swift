import Foundation
import PatchbayManager
import Testing

@testable import PatchbayURLSession

/// What each error of Foundation means, for those that a loopback server does not bring about.
@Suite struct FoundationErrorTests {
    @Test(arguments: [
        (code: NSURLErrorCannotFindHost, text: "", expected: TransportFailure.Code.unresolvedHost),
        (code: NSURLErrorDNSLookupFailed, text: "", expected: .unresolvedHost),
        (code: NSURLErrorCannotFindHost, text: "Could not resolve host: a.test", expected: .unresolvedHost),
        (code: NSURLErrorNotConnectedToInternet, text: "", expected: .refusedConnection),
        (code: NSURLErrorSecureConnectionFailed, text: "", expected: .insecureConnection),
        (code: NSURLErrorServerCertificateUntrusted, text: "", expected: .insecureConnection),
        (
            code: NSURLErrorUnknown, text: "SSL certificate problem: self-signed certificate",
            expected: .insecureConnection
        ),
        (
            code: NSURLErrorUnknown, text: "OpenSSL/3.0: error:0A00010B:SSL routines::wrong version number",
            expected: .insecureConnection
        ),
        (code: NSURLErrorCannotDecodeContentData, text: "", expected: .undecodableContent),
        (code: NSURLErrorCannotParseResponse, text: "", expected: .malformedResponse),
        (code: NSURLErrorBadURL, text: "", expected: .unsupportedRequest),
        (code: NSURLErrorCancelled, text: "", expected: .stopped),
        (code: NSURLErrorUnknown, text: "something else", expected: .other),
    ])
    func isRead(code: Int, text: String, expected: TransportFailure.Code) {
        let info = text.isEmpty ? [:] : [NSLocalizedDescriptionKey: text]
        let failure = TransportFailure(NSError(domain: NSURLErrorDomain, code: code, userInfo: info))
        #expect(failure.code == expected)
    }

    @Test func keepsHostsAndURLsOutOfTheReason() {
        let error = NSError(
            domain: NSURLErrorDomain, code: NSURLErrorCannotFindHost,
            userInfo: [NSLocalizedDescriptionKey: "Could not resolve host: secret.test"])
        #expect(TransportFailure(error).reason == "the name of the host could not be resolved")
    }

    @Test func namesTheCodeOfAnErrorOfAnotherDomain() {
        let failure = TransportFailure(NSError(domain: "elsewhere", code: 7))
        #expect(failure == TransportFailure(.other, "URLSession failed with code -1"))
    }
}
