/// The small answer of the rows that fetch one.
public struct Person: Decodable, Sendable {
    public let id: Int
    public let name: String
    public let email: String
    public let isActive: Bool
    public let score: Double
    public let tags: [String]

    /// As the origin sends it, under this name.
    public static let file = "small.json"
    public static let json = #"""
        {"id":1,"name":"Ada Lovelace","email":"ada@example.com","isActive":true,"score":12.5,"tags":["first","program"]}
        """#
}
