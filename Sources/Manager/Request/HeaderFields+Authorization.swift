import PatchbayPlatform
public import PatchbayRegistry

/// Credentials that are sent without being asked for.
extension HeaderFields {
    /// A user name and a password (RFC 7617), as UTF-8.
    /// - Throws: `SessionError` with code `invalidRequest` where the name has a colon: it would end there.
    public mutating func setBasicAuthorization(user: String, password: String) throws(SessionError) {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw SessionError(.invalidRequest, "a user name with a colon cannot be sent in a basic authorization")
        }
        self["Authorization"] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// A token (RFC 6750, section 2.1).
    public mutating func setBearerAuthorization(_ token: String) {
        self["Authorization"] = "Bearer " + token
    }

    /// Takes the credentials out again.
    public mutating func clearAuthorization() {
        self["Authorization"] = nil
    }
}
