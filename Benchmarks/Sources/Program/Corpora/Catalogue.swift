import Foundation

/// Objects under keys that are numbers, with prices and seats: the shape of citm_catalog.json.
struct Catalogue: Decodable {
    let areaNames: [String: String]
    let audienceSubCategoryNames: [String: String]
    let events: [String: Event]
    let performances: [Performance]
    let seatCategoryNames: [String: String]
    let subTopicNames: [String: String]
    let topicNames: [String: String]
    let topicSubTopics: [String: [Int]]
    let venueNames: [String: String]

    struct Event: Decodable {
        let description: String?
        let id: Int
        let logo: String?
        let name: String
        let subTopicIds: [Int]
        let subjectCode: String?
        let subtitle: String?
        let topicIds: [Int]
    }

    struct Performance: Decodable {
        let eventId: Int
        let id: Int
        let logo: String?
        let name: String?
        let prices: [Price]
        let seatCategories: [SeatCategory]
        let seatMapImage: String?
        let start: Int
        let venueCode: String
    }

    struct Price: Decodable {
        let amount: Int
        let audienceSubCategoryId: Int
        let seatCategoryId: Int
    }

    struct SeatCategory: Decodable {
        let areas: [Area]
        let seatCategoryId: Int
    }

    struct Area: Decodable {
        let areaId: Int
        let blockIds: [Int]
    }
}

/// Writes documents that decode as `Catalogue`.
struct CatalogueWriter {
    private var noise: Noise

    init(seed: UInt64) { noise = Noise(seed: seed) }

    /// A document of at least so many bytes, and one performance more at most.
    func document(ofAtLeast size: Int) -> Data {
        var writer = self
        let events = (0..<200).map { _ in writer.event() }
        var text = """
            {"areaNames":\(writer.names(17)),"audienceSubCategoryNames":\(writer.names(1)),"blockNames":{},\
            "events":{\(events.joined(separator: ","))},"performances":[
            """
        var separator = ""
        repeat {
            text += separator + writer.performance()
            separator = ","
        } while text.utf8.count < size - 4_000
        text += """
            ],"seatCategoryNames":\(writer.names(64)),"subTopicNames":\(writer.names(19)),"subjectNames":{},\
            "topicNames":\(writer.names(4)),"topicSubTopics":{"107888604":[337184283,337184267]},"venueNames":\
            \(writer.names(1))}
            """
        return Data(text.utf8)
    }

    private mutating func id() -> Int { noise.number(100_000_000...400_000_000) }

    private mutating func names(_ count: Int) -> String {
        "{\((0..<count).map { _ in #""\#(id())":"\#(noise.text(words: 2))""# }.joined(separator: ","))}"
    }

    private mutating func event() -> String {
        let id = id()
        return """
            "\(id)":{"description":null,"id":\(id),"logo":"/images/\(id).png","name":"\(noise.text(words: 4))",\
            "subTopicIds":[\(self.id()),\(self.id())],"subjectCode":null,"subtitle":null,"topicIds":[\(self.id())]}
            """
    }

    private mutating func performance() -> String {
        let prices = (0..<4).map { _ in
            #"{"amount":\#(noise.number(9_000...90_000)),"audienceSubCategoryId":\#(id()),"seatCategoryId":\#(id())}"#
        }
        let seats = (0..<4).map { _ in
            let areas = (0..<8).map { _ in #"{"areaId":\#(id()),"blockIds":[]}"# }
            return #"{"areas":[\#(areas.joined(separator: ","))],"seatCategoryId":\#(id())}"#
        }
        return """
            {"eventId":\(id()),"id":\(id()),"logo":null,"name":null,"prices":[\(prices.joined(separator: ","))],\
            "seatCategories":[\(seats.joined(separator: ","))],"seatMapImage":null,"start":1372701600000,\
            "venueCode":"PLEYEL_PLEYEL"}
            """
    }
}
