import Foundation

/// A JSON document to measure, with the type that it decodes to.
struct Corpus {
    private let measure: (JSONRows) async throws -> [Row]

    private init<Model: Decodable & Sendable>(_ name: String, _ data: Data, _ model: Model.Type) {
        measure = { try await $0.rows(name, data, model) }
    }

    func rows(_ json: JSONRows) async throws -> [Row] { try await measure(json) }

    /// The generated documents, and the real ones where there is a folder of them.
    static func all(in folder: URL?) throws -> [Corpus] {
        var corpora = [
            Corpus("generated timeline", TimelineWriter(seed: 1).document(ofAtLeast: 600_000), Timeline.self),
            Corpus("generated map", MapWriter(seed: 2).document(ofAtLeast: 2_000_000), Map.self),
            Corpus("generated catalogue", CatalogueWriter(seed: 3).document(ofAtLeast: 500_000), Catalogue.self),
        ]
        guard let folder else { return corpora }
        func file(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }
        corpora += [
            Corpus("twitter", try file("twitter.json"), Timeline.self),
            Corpus("canada", try file("canada.json"), Map.self),
            Corpus("citm_catalog", try file("citm_catalog.json"), Catalogue.self),
        ]
        return corpora
    }
}
