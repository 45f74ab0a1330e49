import Foundation
import PatchbayJSON
import PatchbayRegistry
import Testing

/// The bytes of a body, and what stands behind them.
@Suite struct ResponseBodyTests {
    @Test(
        "Behind the last byte there are 64 zeroes, whatever the memory held before",
        arguments: [0, 1, 14, 255, 256, 257, 5_000])
    func padding(_ count: Int) {
        // Memory that is given back full of ones is likely to be handed out next.
        for _ in 0..<8 { _ = [UInt8](repeating: 0xFF, count: max(count, 256) + 64) }
        let body = ResponseBody([UInt8](repeating: 7, count: count))
        #expect(body.count == count)
        body.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let behind = UnsafeRawBufferPointer(start: base + bytes.count, count: 64)
            #expect(bytes.allSatisfy { $0 == 7 })
            #expect(behind.allSatisfy { $0 == 0 })
        }
    }

    @Test("Writing to a copy of its Data leaves a body alone")
    func copyOnWrite() {
        let body = ResponseBody(Array("a body of more than fourteen bytes".utf8))
        var data = body.data
        data[0] = 0
        #expect(body.data.first == UInt8(ascii: "a"))
        #expect(body.withUnsafeBytes { $0.first } == UInt8(ascii: "a"))
    }

    @Test func empty() {
        #expect(ResponseBody.empty.isEmpty)
        #expect(ResponseBody.empty == ResponseBody(Data()))
        #expect(ResponseBody() == ResponseBody.empty)
    }

    @Test("JSON out of a body is that of its bytes, and so is what is wrong with them")
    func json() throws {
        let text = #"{"a": [1, "b"]}"#
        #expect(try JSON(parsing: ResponseBody(Data(text.utf8))) == JSON(parsing: text))
        let failure = #expect(throws: FormatFailure.self) {
            try JSON(parsing: ResponseBody(Data("[[1]]".utf8)), options: .init(maximumDepth: 1))
        }
        #expect(failure?.code == .depth && failure?.offset == 1)
        #expect(throws: FormatFailure.self) { try JSON(parsing: ResponseBody()) }
    }
}
