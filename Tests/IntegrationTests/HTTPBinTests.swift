import Foundation
import Patchbay
import TestSupport
import Testing

/// The whole path, from a request over a socket to a value, against a server that others wrote.
@Suite("httpbin", .enabled(if: HTTPBin.url != nil, "\(HTTPBin.absence)"), .timeLimit(.minutes(5)))
struct HTTPBinTests {
    let manager = HTTPBin.manager()

    /// Decoded where the build has a decoder, and raw otherwise.
    private static let image =
        SerializerFactories.standard.names.contains("image")
        ? Answer("image/png", entry: "image") { ($0 as? DecodedImage)?.width == 100 }
        : .raw("image/png") { $0.count == 8090 && $0.data.starts(with: [0x89, 0x50, 0x4E, 0x47]) }

    @Test(arguments: [
        Answer.json("json", "/slideshow/title", "Sample Slide Show"),
        Answer("xml", entry: "xml") { ($0 as? XMLTree)?.root["slide"]?["title"]?.text == "Wake up to WonderWidgets!" },
        .text("html", containing: "Herman Melville"),
        Answer("robots.txt", entry: "text") { $0 as? String == "User-agent: *\nDisallow: /deny\n" },
        .text("encoding/utf8", containing: "∮ E⋅da = Q,  n → ∞, ∑ f(i) = ∏ g(i)"),
        image,
        .raw("bytes/1024") { $0.count == 1024 },
        .json("gzip", "/gzipped", true),
        .json("deflate", "/deflated", true),
        .json("brotli", "/brotli", true),
        .json("headers", "/headers/User-Agent", .init(UserAgent.value)),
        .json("anything", "/method", "GET"),
        .json("cookies", "/cookies", [:]),
        .json("response-headers?X-Fruit=pear&X-Fruit=apple", "/X-Fruit", ["pear", "apple"]),
        .text("response-headers?Content-Type=text/plain", containing: "text/plain"),
    ])
    func aBodyBecomesAValue(_ answer: Answer) async throws {
        let reply = try await manager.send(answer.path)
        #expect(reply.head.status == 200)
        #expect(reply.entry == answer.entry, "\(reply.decision)")
        #expect(reply.outcome == (answer.entry == nil ? .raw : .entry))
        #expect(answer.isRight(reply.value), "\(reply.value)")
    }

    @Test func repeatedFieldsAreAllKept() async throws {
        let reply = try await manager.send("response-headers", query: [("X-Fruit", "pear"), ("X-Fruit", "apple")])
        #expect(reply.head.fields.values(for: "x-fruit") == ["pear", "apple"])
    }

    @Test func aTypedCallFindsWhoCanDecode() async throws {
        struct Show: Decodable {
            struct Content: Decodable {
                let author: String
                let slides: [Slide]
            }
            struct Slide: Decodable {
                let title: String
                let items: [String]?
            }
            let slideshow: Content
        }
        let show = try await manager.get("json", as: Show.self).slideshow
        #expect(show.author == "Yours Truly")
        #expect(show.slides.map(\.items?.count) == [nil, 2])
        #expect(try await manager.get("json", as: String.self).contains("slideshow"))
        #expect(try await manager.get("image/png", as: Data.self).count == 8090)
    }

    private struct Sent: Decodable {
        let headers: [String: String]
    }

    @Test func acceptIsDerivedFromTheEntries() async throws {
        func derived(_ wanted: WantedValue) -> String? {
            SerializerRegistry.standard.accept(for: nil, producing: wanted)
        }
        let typed = try await manager.get("headers", as: Sent.self)
        #expect(typed.headers["Accept"] == derived(.type(Sent.self)))
        let untyped = try await manager.send("headers").value as? JSON
        #expect(untyped?.pointer("/headers/Accept")?.string == derived(.anything))
        let text = try JSON(parsing: Data(try await manager.get("headers", as: String.self).utf8))
        #expect(text.pointer("/headers/Accept")?.string == derived(.type(String.self)))
        let bytes = try JSON(parsing: try await manager.get("headers", as: Data.self))
        #expect(bytes.pointer("/headers/Accept")?.string == "*/*")
        let own = try await manager.get("headers", headers: ["Accept": "text/csv"], as: JSON.self)
        #expect(own.pointer("/headers/Accept") == "text/csv")
    }

    @Test func aSlowAnswerIsWaitedFor() async throws {
        #expect(try await manager.send("delay/3").entry == "json")
    }

    @Test func theTotalClockEndsASlowAnswer() async throws {
        var request = SessionRequest("delay/3")
        request.totalTimeout = .milliseconds(300)
        let error = try await #require(throws: SessionError.self) { try await manager.send(request) }
        #expect(error.code == .totalTimeout)
    }

    @Test func theIdleClockEndsADrip() async throws {
        var request = SessionRequest("drip?duration=8&numbytes=2&delay=0")
        request.idleTimeout = .milliseconds(500)
        let error = try await #require(throws: SessionError.self) { try await manager.send(request) }
        #expect(error.code == .idleTimeout)
    }

    @Test func aDripIsCollected() async throws {
        let bytes = try await manager.get("drip?duration=1&numbytes=5&delay=0", as: Data.self)
        #expect(bytes == Data("*****".utf8))
    }

    @Test func chunksAreCollected() async throws {
        // The bytes differ from call to call: httpbin's generator is shared by all of its threads, even with a seed.
        let reply = try await manager.send("stream-bytes/65536")
        #expect(reply.head.fields["Transfer-Encoding"] == "chunked")
        #expect(reply.outcome == .raw)
        #expect(reply.body.count == 65_536)
    }

    @Test func manyAtOnceEachGetTheirOwn() async throws {
        try await withThrowingTaskGroup(of: (Int, JSON).self) { group in
            for number in 0..<64 {
                group.addTask { [manager] in
                    (number, try await manager.get("anything", query: [("n", "\(number)")], as: JSON.self))
                }
            }
            for try await (number, json) in group {
                #expect(json.pointer("/args/n") == JSON("\(number)"))
            }
        }
    }
}
