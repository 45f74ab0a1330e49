import Foundation

/// Polygons of many numbers: the shape of canada.json.
struct Map: Decodable {
    let type: String
    let features: [Feature]

    struct Feature: Decodable {
        let type: String
        let properties: [String: String]
        let geometry: Geometry
    }

    struct Geometry: Decodable {
        let type: String
        let coordinates: [[[Double]]]
    }
}

/// Writes documents that decode as `Map`.
struct MapWriter {
    private var noise: Noise

    init(seed: UInt64) { noise = Noise(seed: seed) }

    /// A document of at least so many bytes, and one polygon more at most.
    func document(ofAtLeast size: Int) -> Data {
        var noise = noise
        var text = #"""
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"nowhere"},"geometry":\#
            {"type":"Polygon","coordinates":[
            """#
        var separator = ""
        repeat {
            let points = (0..<noise.number(20...200)).map { _ in
                "[\(Double.random(in: -142 ... -52, using: &noise)),\(Double.random(in: 41...83, using: &noise))]"
            }
            text += "\(separator)[\(points.joined(separator: ","))]"
            separator = ","
        } while text.utf8.count < size
        return Data((text + "]}}]}").utf8)
    }
}
