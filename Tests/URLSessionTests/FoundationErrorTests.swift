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
        (code: NSURLErrorInternationalRoamingOff, text: "", expected: .refusedConnection),
        (code: NSURLErrorCallIsActive, text: "", expected: .refusedConnection),
        (code: NSURLErrorDataNotAllowed, text: "", expected: .refusedConnection),
        (code: NSURLErrorTimedOut, text: "", expected: .lostConnection),
        (code: NSURLErrorNetworkConnectionLost, text: "", expected: .lostConnection),
        (code: NSURLErrorRequestBodyStreamExhausted, text: "", expected: .lostConnection),
        (code: NSURLErrorZeroByteResource, text: "", expected: .truncatedBody),
        (code: NSURLErrorAppTransportSecurityRequiresSecureConnection, text: "", expected: .unsupportedRequest),
        (code: NSURLErrorClientCertificateRequired, text: "", expected: .insecureConnection),
        // The code decides, whatever the text has in it: the name of a host, or words of another language.
        (code: NSURLErrorCannotFindHost, text: "Could not resolve host: tls.test", expected: .unresolvedHost),
        (
            code: NSURLErrorNotConnectedToInternet, text: "The certificate of the header",
            expected: .refusedConnection
        ),
        (code: NSURLErrorTimedOut, text: "Connection to ssl.test timed out", expected: .lostConnection),
        (
            code: NSURLErrorCannotConnectToHost,
            text: "Failed to connect to header.test port 80 after 0 ms: Couldn't connect to server",
            expected: .refusedConnection
        ),
        (
            code: NSURLErrorUnknown, text: "Failed to connect to tls.test port 443 after 9 ms: No route to host",
            expected: .refusedConnection
        ),
        (code: NSURLErrorUnknown, text: "Could not resolve proxy: ssl.test", expected: .unresolvedHost),
        // The first address of the host refused the connection; the second has no TLS.
        (
            code: NSURLErrorCannotConnectToHost, text: "SSL routines::wrong version number",
            expected: .insecureConnection
        ),
        (code: NSURLErrorCannotConnectToHost, text: "", expected: .refusedConnection),
        (code: NSURLErrorBadServerResponse, text: "Empty reply from server", expected: .lostConnection),
        (code: NSURLErrorBadServerResponse, text: "", expected: .malformedResponse),
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

    @Test(
        "the sentence of a failure that only Apple's systems have",
        arguments: [
            (
                NSURLErrorAppTransportSecurityRequiresSecureConnection,
                "App Transport Security refuses http; use https, or allow the host by NSAppTransportSecurity in Info.plist"
            ),
            (NSURLErrorClientCertificateRequired, "the host wants a client certificate"),
            (NSURLErrorNotConnectedToInternet, "there is no connection to the internet"),
            (NSURLErrorDataNotAllowed, "the cellular network allows no connection now"),
            (NSURLErrorInternationalRoamingOff, "the cellular network allows no connection now"),
            (NSURLErrorTimedOut, "the connection or the response took longer than the system waits"),
        ])
    func says(_ code: Int, _ sentence: String) {
        #expect(TransportFailure(NSError(domain: NSURLErrorDomain, code: code)).reason == sentence)
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
