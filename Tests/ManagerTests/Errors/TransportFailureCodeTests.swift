import PatchbayManager
import Testing

/// The codes that programs compare, whichever transport reports them.
@Suite struct TransportFailureCodeTests {
    @Test(
        "the codes of TLS belong to the manager",
        arguments: [
            (.expiredCertificate, "expiredCertificate"), (.wrongHostCertificate, "wrongHostCertificate"),
            (.selfSignedCertificate, "selfSignedCertificate"), (.unknownAuthority, "unknownAuthority"),
            (.weakCertificate, "weakCertificate"), (.refusedCertificate, "refusedCertificate"),
            (.mismatchedPin, "mismatchedPin"), (.outdatedTLS, "outdatedTLS"),
            (.clientCertificateRequired, "clientCertificateRequired"), (.unlistedHost, "unlistedHost"),
        ] as [(TransportFailure.Code, String)])
    func codes(_ code: TransportFailure.Code, _ name: String) {
        #expect(code.rawValue == name)
        #expect(code == TransportFailure.Code(rawValue: name))
    }
}
