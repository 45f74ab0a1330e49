import Patchbay

extension SessionError {
    /// The option that the failure is about; nil for none.
    func hint(_ arguments: GetArguments) -> String? {
        switch (cause as? TransportFailure)?.code {
        case .unknownAuthority?, .selfSignedCertificate?:
            return "--cacert FILE names an authority to trust, and -k takes any certificate"
        case .insecureConnection?, .lostConnection?, .malformedResponse?, .unsupportedRequest?:
            guard arguments.connection.http == .http2 else {
                return reason.contains("ClientCertificate.passphrase")
                    ? "--pass @FILE has the passphrase of the key" : nil
            }
            return "--http2 needs a server that speaks HTTP/2; without it, TLS finds the version"
        default:
            let missesCookies = code == .tooManyRedirects && reason.contains("cookie jar")
            return missesCookies ? "--cookie-jar FILE keeps cookies" : signInHint
        }
    }

    /// After status 401, the option that sends credentials, or that they were refused; nil for any other failure.
    private var signInHint: String? {
        guard code == .status, let head, head.status == 401 else { return nil }
        // A list of challenges, each of which begins with its scheme (RFC 9110, section 11.6.1).
        let parts = head.fields.values(for: "WWW-Authenticate").flatMap { value in
            value.lowercased().replacing(/"(?:[^"\\]|\\.?)*"?/, with: "").split(separator: ",")
        }
        let schemes = Set(parts.compactMap { $0.split(separator: " ").first })
        let ways: KeyValuePairs<Substring, String> = [
            "basic": "-u NAME sends a user name, and asks for the password", "bearer": "--bearer @FILE sends a token",
        ]
        let open = ways.filter { schemes.isEmpty || schemes.contains($0.key) }.map(\.value)
        // The cookies of a jar are no sign-in that was refused.
        let sent = request?.fields.contains { $0.name.lowercased() != "cookie" && Secrets.isSecret($0.name) }
        if droppedCredentials { return "the credentials were not sent to the host of a redirect" }
        if open.isEmpty { return "the server takes neither Basic (-u) nor Bearer (--bearer)" }
        return sent == true ? "the credentials were sent, and refused" : open.joined(separator: "; ")
    }
}
