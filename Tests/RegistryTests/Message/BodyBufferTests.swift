import Foundation
import Testing

@testable import PatchbayRegistry

@Suite("The memory of a body", .timeLimit(.minutes(5))) struct BodyBufferTests {
    private static let mebibyte = 1 << 20

    @Test(
        "holds every byte and the zeroes behind them, whatever was announced",
        arguments: [
            0, 1, 255, 256, 257, 1 << 16, 4 * mebibyte - 65, 4 * mebibyte - 64, 4 * mebibyte, 9 * mebibyte + 5,
            17 * mebibyte + 5,
        ])
    func contents(_ count: Int) {
        let bytes = Self.bytes(count)
        for expected in [0, 1, count, count + 5 * Self.mebibyte] {
            let buffer = BodyBuffer(expected: expected)
            var sent = 0
            while sent < count {
                // Chunks of a length that divides nothing.
                let end = min(sent + 99_991, count)
                #expect(bytes[sent..<end].withUnsafeBytes { buffer.append($0) })
                sent = end
            }
            let body = buffer.finish()
            #expect(body.count == count)
            // Not in the macro, which would take minutes to print the difference.
            let isSame = body.data == Data(bytes)
            #expect(isSame, "\(expected) expected")
            let padding = body.withUnsafeBytes { bytes in
                (0..<BodyBuffer.padding).allSatisfy {
                    bytes.baseAddress?.load(fromByteOffset: count + $0, as: UInt8.self) ?? 0 == 0
                }
            }
            #expect(padding)
        }
    }

    @Test("keeps its bytes where there is no memory for more", arguments: [1000, 5 * mebibyte])
    func noMemory(_ count: Int) {
        let bytes = Self.bytes(count)
        let buffer = BodyBuffer()
        #expect(bytes.withUnsafeBytes { buffer.append($0) })
        let isAppended = bytes.withUnsafeBytes {
            // Nothing reads so many bytes: no system has memory for them.
            buffer.append(UnsafeRawBufferPointer(start: $0.baseAddress, count: 1 << 60))
        }
        #expect(!isAppended)
        #expect(bytes.withUnsafeBytes { buffer.append($0) })
        let isSame = buffer.finish().data == Data(bytes + bytes)
        #expect(isSame)
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    }
}
