import Foundation

/// Writes documents that decode as `Timeline`.
struct TimelineWriter {
    private var noise: Noise

    init(seed: UInt64) { noise = Noise(seed: seed) }

    /// A document of at least so many bytes, and one status more at most.
    func document(ofAtLeast size: Int) -> Data {
        var writer = self
        var text = #"{"statuses":["#
        var separator = ""
        repeat {
            text += separator + writer.status()
            separator = ","
        } while text.utf8.count < size - 100
        text += #"],"search_metadata":{"completed_in":0.087,"query":"%E4%B8%80","count":100}}"#
        return Data(text.utf8)
    }

    private mutating func status() -> String {
        let id = noise.number(1 << 40...1 << 58)
        let reply = noise.isTrue() ? "\(noise.number(1 << 40...1 << 58))" : "null"
        return """
            {"created_at":"Sun Aug 31 00:29:15 +0000 2014","id":\(id),"id_str":"\(id)","text":"\(noise.text(words: 16))",\
            "source":"<a href=\\"http://example.com\\">a program</a>","truncated":false,"in_reply_to_status_id":\(reply),\
            "in_reply_to_user_id":\(reply),"in_reply_to_screen_name":null,"user":\(user()),"geo":null,"coordinates":null,\
            "retweet_count":\(noise.number(0...900)),"favorite_count":\(noise.number(0...900)),"entities":\(entities()),\
            "favorited":false,"retweeted":true,"lang":"ja"}
            """
    }

    private mutating func user() -> String {
        let id = noise.number(1...1 << 32)
        return """
            {"id":\(id),"id_str":"\(id)","name":"\(noise.text(words: 2))","screen_name":"user\(id)","location":"",\
            "description":"\(noise.text(words: 9))","url":null,"protected":false,"followers_count":\(noise.number(0...9000)),\
            "friends_count":\(noise.number(0...9000)),"listed_count":3,"created_at":"Sat Feb 16 13:40:25 +0000 2013",\
            "favourites_count":\(noise.number(0...9000)),"utc_offset":32400,"time_zone":"Tokyo","geo_enabled":false,\
            "verified":false,"statuses_count":\(noise.number(0...9000)),"lang":"en","profile_background_color":"C0DEED",\
            "profile_image_url":"http://example.com/images/\(id)/picture.jpeg","profile_link_color":"0084B4",\
            "default_profile":true,"following":false}
            """
    }

    private mutating func entities() -> String {
        let id = noise.number(1...1 << 32)
        return """
            {"hashtags":[{"text":"\(noise.text(words: 1))","indices":[12,20]}],"symbols":[],"urls":[{"url":\
            "http://t.example/\(id)","expanded_url":"http://example.com/status/\(id)","indices":[30,52]}],"user_mentions":[\
            {"screen_name":"user\(id)","name":"\(noise.text(words: 2))","id":\(id),"id_str":"\(id)","indices":[0,9]}]}
            """
    }
}
