/// Statuses of many short strings, flags and numbers: the shape of twitter.json.
struct Timeline: Decodable {
    let statuses: [Status]
    let metadata: Search

    enum CodingKeys: String, CodingKey {
        case statuses
        case metadata = "search_metadata"
    }

    struct Search: Decodable {
        let query: String
        let count: Int
        let completedIn: Double

        enum CodingKeys: String, CodingKey {
            case query, count
            case completedIn = "completed_in"
        }
    }

    struct Status: Decodable {
        let id: UInt64
        let idText: String
        let createdAt: String
        let text: String
        let source: String
        let isTruncated: Bool
        let replyStatus: UInt64?
        let replyUser: UInt64?
        let replyName: String?
        let user: User
        let entities: Entities
        let retweetCount: Int
        let favoriteCount: Int
        let isFavorited: Bool
        let isRetweeted: Bool
        let language: String

        enum CodingKeys: String, CodingKey {
            case id, text, source, user, entities
            case idText = "id_str"
            case createdAt = "created_at"
            case isTruncated = "truncated"
            case replyStatus = "in_reply_to_status_id"
            case replyUser = "in_reply_to_user_id"
            case replyName = "in_reply_to_screen_name"
            case retweetCount = "retweet_count"
            case favoriteCount = "favorite_count"
            case isFavorited = "favorited"
            case isRetweeted = "retweeted"
            case language = "lang"
        }
    }

    struct User: Decodable {
        let id: UInt64
        let name: String
        let screenName: String
        let location: String
        let description: String
        let url: String?
        let isProtected: Bool
        let followers: Int
        let friends: Int
        let favourites: Int
        let statuses: Int
        let createdAt: String
        let utcOffset: Int?
        let timeZone: String?
        let isVerified: Bool
        let language: String
        let image: String
        let color: String

        enum CodingKeys: String, CodingKey {
            case id, name, location, description, url
            case screenName = "screen_name"
            case isProtected = "protected"
            case followers = "followers_count"
            case friends = "friends_count"
            case favourites = "favourites_count"
            case statuses = "statuses_count"
            case createdAt = "created_at"
            case utcOffset = "utc_offset"
            case timeZone = "time_zone"
            case isVerified = "verified"
            case language = "lang"
            case image = "profile_image_url"
            case color = "profile_link_color"
        }
    }

    struct Entities: Decodable {
        let hashtags: [Hashtag]
        let urls: [Link]
        let mentions: [Mention]

        enum CodingKeys: String, CodingKey {
            case hashtags, urls
            case mentions = "user_mentions"
        }
    }

    struct Hashtag: Decodable {
        let text: String
        let indices: [Int]
    }

    struct Link: Decodable {
        let url: String
        let expanded: String
        let indices: [Int]

        enum CodingKeys: String, CodingKey {
            case url, indices
            case expanded = "expanded_url"
        }
    }

    struct Mention: Decodable {
        let id: UInt64
        let name: String
        let screenName: String
        let indices: [Int]

        enum CodingKeys: String, CodingKey {
            case id, name, indices
            case screenName = "screen_name"
        }
    }
}
