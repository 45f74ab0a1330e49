import PatchbayRegistry

/// Credentials for every call to come, wherever it goes: to an absolute URL of another host as well. A redirect to another origin
/// drops them. Credentials that only one host may see belong to the calls of that host, or to a manager of their own.
extension SessionManager {
    /// - Throws: `SessionError` with code `invalidRequest` where the name has a colon (RFC 7617, section 2).
    public func setBasicAuthorization(user: String, password: String) throws(SessionError) {
        var fields = HeaderFields()
        try fields.setBasicAuthorization(user: user, password: password)
        setHeader(fields["Authorization"], for: "Authorization")
    }

    /// A token (RFC 6750, section 2.1).
    public func setBearerAuthorization(_ token: String) {
        setHeader("Bearer " + token, for: "Authorization")
    }

    /// Sends no credentials from now on.
    public func clearAuthorization() {
        setHeader(nil, for: "Authorization")
    }
}
