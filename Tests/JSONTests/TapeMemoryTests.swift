#if os(Linux)
    import Foundation
    import Testing

    @testable import PatchbayJSON

    /// The blocks that wait for the next tapes: used again, few, and gone when a larger one is asked for. Each in a process of its own.
    @Suite(.timeLimit(.minutes(5))) struct TapeMemoryTests {
        private static let mebibyte = 1 << 20

        @Test func aBlockIsUsedAgain() async {
            await #expect(processExitsWith: .success) {
                let block = try #require(TapeMemory.take(3 * Self.mebibyte))
                // The system may give the same address again, but cleared.
                block.start.storeBytes(of: 7, toByteOffset: Self.mebibyte, as: Int.self)
                block.giveBack()
                let again = try #require(TapeMemory.take(2 * Self.mebibyte))
                try #require(again.start == block.start)
                try #require(again.start.load(fromByteOffset: Self.mebibyte, as: Int.self) == 7)
                let other = try #require(TapeMemory.take(2 * Self.mebibyte))
                try #require(other.start != block.start)
            }
        }

        /// Written whole, eight given back, no more than two are still there.
        @Test func twoBlocksWait() async {
            await #expect(processExitsWith: .success) {
                let before = try Self.resident()
                try Self.use(8, of: 8 * Self.mebibyte - 65536)
                let waiting = try Self.resident() - before
                try #require((8 << 10...20 << 10).contains(waiting))
                // None of them is large enough, and the new one is too large to be kept.
                try Self.use(1, of: 9 * Self.mebibyte)
                try #require(try Self.resident() - before <= 4 << 10)
            }
        }

        /// Documents of many sizes at once, many of them let go elsewhere: right values, and little is kept.
        @Test func manyTasksShareThem() async {
            await #expect(processExitsWith: .success) {
                let texts = (0..<12).map { size in
                    let items = (0..<2000 * (size * size + 1)).map { #"{"n":\#($0 &* 7919 &+ size),"s":"\#(size)"}"# }
                    return Array("[\(items.joined(separator: ","))]".utf8)
                }
                let before = try Self.resident()
                try await withThrowingTaskGroup(of: JSON.self) { group in
                    for turn in 0..<96 {
                        group.addTask {
                            let size = turn * 5 % texts.count
                            let json = try JSON(parsing: texts[size])
                            try #require(json.count == 2000 * (size * size + 1))
                            for place in [0, 1, json.count / 2, json.count - 1] {
                                try #require(json[place]?["n"]?.int == place &* 7919 &+ size)
                            }
                            return json
                        }
                        if turn >= 4 { _ = try await group.next() }
                    }
                    for try await _ in group {}
                }
                #if !PATCHBAY_THREAD_SANITIZER
                    try #require(try Self.resident() - before <= 64 << 10)
                #endif
            }
        }

        private static func use(_ count: Int, of size: Int) throws {
            let blocks = try (0..<count).map { _ in try #require(TapeMemory.take(size)) }
            for block in blocks { memset(block.start, 1, size) }
            for block in blocks { block.giveBack() }
        }

        /// The memory that the process has, in KiB.
        private static func resident() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            return try #require(Int(line.filter(\.isNumber)))
        }
    }
#endif
