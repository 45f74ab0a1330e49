import Foundation
import Patchbay
import TestSupport
import Testing

/// Bodies of httpbin that come bit by bit.
extension HTTPBinTests {
    private struct Line: Decodable, Sendable {
        let id: Int
    }

    @Test("lines of JSON that a server calls JSON are elements by one line of the manifest for its host")
    func mislabelledLines() async throws {
        let host = try #require(HTTPBin.url?.host())
        let overlay = """
            { "manifestVersion": 1,
              "hosts": { "\(host)": { "plugins": [
                { "id": "lines", "factory": "ndjson", "match": { "types": ["application/json"], "wanted": "elements" } }
              ] } } }
            """
        let registry = try SerializerRegistry.standard.overlaid(by: .text(overlay, name: "overlay"))
        let manager = SessionManager(baseURL: HTTPBin.url, registry: registry)
        var ids: [Int] = []
        for try await line in try await manager.stream("stream/20", of: Line.self) { ids.append(line.id) }
        #expect(ids == Array(0..<20))
        // Whatever is no list of elements is JSON as ever.
        #expect(try await manager.get("json", as: JSON.self)["slideshow"] != nil)

        let error = await #expect(throws: SessionError.self) {
            for try await _ in try await SessionManager(baseURL: HTTPBin.url).stream("stream/20", of: Line.self) {}
        }
        #expect(error?.code == .serialization)
    }

    @Test("a body that drips is read as it comes")
    func drip() async throws {
        let manager = SessionManager(baseURL: HTTPBin.url)
        var bytes = 0
        for try await piece in try await manager.stream("drip?numbytes=10&duration=1&delay=0", of: Data.self) {
            bytes += piece.count
        }
        #expect(bytes == 10)
    }

    @Test("a body in chunks is read to its last byte")
    func streamBytes() async throws {
        let manager = SessionManager(baseURL: HTTPBin.url)
        var bytes = Data()
        for try await piece in try await manager.stream("stream-bytes/20000?seed=7&chunk_size=1000", of: Data.self) {
            bytes += piece
        }
        #expect(bytes.count == 20_000)
    }
}
