import Patchbay

/// One case of a test of a table: a response, who is to take it, and what is to come of it.
struct TableCase: Equatable, Sendable {
    var name: String
    var host: String?
    var method = "GET"
    var status: Int
    /// The value of Content-Type; nil for a response without one.
    var contentType: String?
    /// What the call wants, by the name that `routes` prints under MAKES, or `Decodable`, `bytes`, `text`; nil for any value.
    var makes: String?
    /// The entry that serializes it; nil for none.
    var entry: String?
    /// As `explain` has it.
    var outcome: Decision.Outcome
    /// The largest body, in bytes; nil where any will do.
    var limit: Int?

    static let keys = ["name", "host", "method", "status", "contentType", "makes", "entry", "outcome", "limit"]

    var json: JSON {
        var members: [(String, JSON)] = [("name", JSON(name))]
        if let host { members.append(("host", JSON(host))) }
        if method != "GET" { members.append(("method", JSON(method))) }
        members.append(("status", JSON(status)))
        members.append(("contentType", contentType.map { JSON($0) } ?? .null))
        if let makes { members.append(("makes", JSON(makes))) }
        members.append(("entry", entry.map { JSON($0) } ?? .null))
        members.append(("outcome", JSON(outcome.rawValue)))
        if let limit { members.append(("limit", JSON(limit))) }
        return .object(members)
    }
}
