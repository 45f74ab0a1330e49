import CTestResolver
import Foundation
import Patchbay
import PatchbayCurl
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Bodies whose codings are meant to keep the loop busy or to fill the memory, in child processes.
@Suite("CurlTransport bounds what content codings cost", .timeLimit(.minutes(5)))
struct CodingBombTests {
    /// Some 110 KB of four gzip codings: the last but one gives billions of empty members, and so the last never a byte.
    private static let endless: RawReply = {
        let some = GzipMember.repeating(GzipMember.empty, count: 500_000)
        let many = GzipMember.repeating(some, count: 2_000_000)
        let all = GzipMember.repeating(many, count: 3_000_000, isWhole: false)
        return .response(["Content-Encoding": "gzip, gzip, gzip, gzip"], body: all)
    }()

    /// A transport that takes the endless body for what it says it is.
    private static func patientTransport() -> CurlTransport {
        CurlTransport(maximumContentCodings: 4, maximumCodingOverhead: .max)
    }

    enum Ending: String, Codable, CaseIterable {
        case signal, task, deadline
    }

    @Test("A body that is endless work lets others pass, and ends when it is asked to", arguments: Ending.allCases)
    func endlessWork(_ ending: Ending) async {
        await #expect(processExitsWith: .success) { [ending] in
            // A loop that does not get its turn again can be ended in no other way.
            alarm(100)
            let endless = Self.endless
            let begun = OneShot()
            let server = try RawServer { request in
                guard request.target == "/endless" else { return .response(body: "small") }
                return RawReply(endless.steps + [.run { begun.fire() }])
            }
            let transport = Self.patientTransport()
            switch ending {
            case .signal, .task:
                let receiver = RecordingReceiver()
                let task = Task { await transport.exchange(server.url("/endless"), receiver: receiver) }
                await begun.fired()
                for _ in 0..<20 { try #require(await transport.exchange(server.url("/")).record.text == "small") }
                if ending == .signal { receiver.stop.fire() } else { task.cancel() }
                let exchange = await task.value
                try #require(exchange.code == .stopped)
                try #require(exchange.record.counts.offers == 0)
            case .deadline:
                var request = SessionRequest("endless")
                request.totalTimeout = .milliseconds(500)
                let manager = SessionManager(baseURL: server.url(), registry: .standard, transport: transport)
                let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
                try #require(error?.code == .totalTimeout)
                try #require(try await manager.get("x", as: Data.self) == Data("small".utf8))
            }
        }
    }

    @Test("A stream of blank lines that were coded into little gives no element and takes no memory")
    func blankLines() async {
        await #expect(processExitsWith: .success) {
            alarm(200)
            let blank = [UInt8](repeating: 0x20, count: 1_023) + [0x0A]
            let body = GzipMember.repeating(blank, count: 64 << 20)
            let server = try RawServer(
                always: .response(["Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"], body: body))
            let manager = SessionManager(baseURL: server.url())
            for try await _ in try await manager.stream("small", of: Data.self) { break }
            let before = try PeakMemory.kibibytes()
            for try await _ in try await manager.stream("lines", of: JSON.self) { throw Unexpected() }
            try #require(try PeakMemory.kibibytes() - before < 32 << 10)
        }
    }

    private struct Unexpected: Error {}

    @Test("What codings take and give nothing for is counted, in every one of them", arguments: [-1, 0, 1])
    func overhead(_ distance: Int) async throws {
        // 500 KB of empty members, and the same in another member.
        let members = Array(repeatElement(GzipMember.empty, count: 25_000).joined())
        let stack = StoredCoding.gzip.code(members)
        for (codings, body, taken) in [("gzip", members, members.count), ("gzip, gzip", stack, stack.count)] {
            let transport = CurlTransport(maximumCodingOverhead: taken + distance)
            let server = try RawServer(always: .response(["Content-Encoding": codings], body: body))
            let exchange = await transport.exchange(server.url())
            #expect(
                exchange.result.failure
                    == (distance < 0
                        ? TransportFailure(
                            .undecodableContent,
                            "the content codings of the body take over \(taken - 1) bytes that give nothing")
                        : nil))
        }
    }

    @Test("64 MiB between two codings that give nothing are an error")
    func standardOverhead() async throws {
        let body = GzipMember.repeating(GzipMember.empty, count: (64 << 20) + 1, isWhole: false)
        let server = try RawServer(always: .response(["Content-Encoding": "gzip, gzip"], body: body))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(
            exchange.result.failure
                == TransportFailure(
                    .undecodableContent, "the content codings of the body take over 67108864 bytes that give nothing"))
        #expect(exchange.record.counts.offers == 0)
    }

    struct Window: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var coding = "zstd"
        let body: [UInt8]
        /// Why it is refused; nil where it is taken.
        var reason: String?
    }

    /// The frame header and one empty block, but where the header has more to say.
    private static func frame(_ header: [UInt8]) -> [UInt8] { [0x28, 0xB5, 0x2F, 0xFD] + header + [0x01, 0x00, 0x00] }

    private static let tooLarge = "the content coding of the body needs more than 8 MiB of memory"

    static let windows = [
        Window(testDescription: "zstd, 1 KiB", body: frame([0x00, 0x00])),
        Window(testDescription: "zstd, 7.5 MiB", body: frame([0x00, 0x67])),
        Window(testDescription: "zstd, 8 MiB", body: frame([0x00, 0x68])),
        Window(testDescription: "zstd, 9 MiB", body: frame([0x00, 0x69]), reason: tooLarge),
        Window(testDescription: "zstd, 128 MiB", body: frame([0x00, 0x88]), reason: tooLarge),
        Window(testDescription: "zstd, the largest", body: frame([0x00, 0xFF]), reason: tooLarge),
        Window(
            testDescription: "zstd, a single segment of 8 MiB and a byte", body: frame([0xA0, 0x01, 0x00, 0x80, 0x00]),
            reason: tooLarge),
        Window(
            testDescription: "zstd, a single segment of nearly 2^64 bytes",
            body: frame([0xE0, 0xFE] + Array(repeating: 0xFF, count: 7)), reason: tooLarge),
        Window(testDescription: "brotli, 16 MiB", coding: "br", body: [0x3F]),
        Window(
            testDescription: "brotli, a large window of 2^30 bytes", coding: "br", body: [0x11, 0x9E, 0x03],
            reason: "the content coding of the body is broken"),
    ]

    @Test("A decoder keeps 8 MiB for zstd and 16 MiB for brotli, and not more", arguments: windows)
    func window(_ item: Window) async throws {
        let server = try RawServer(always: .response(["Content-Encoding": item.coding], body: item.body))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(exchange.result.failure == item.reason.map { TransportFailure(.undecodableContent, $0) })
        #expect(exchange.record.body.isEmpty)
    }

    @Test(
        "Frames of zstd's old formats, which know no such limit, are none",
        arguments: [0x1E, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27] as [UInt8])
    func oldFrames(_ magic: UInt8) async throws {
        for slice in [1, 2, 100] {
            // Skippable frames may stand before others.
            for prefix: [UInt8] in [
                [], [0x5A, 0x2A, 0x4D, 0x18, 0x02, 0x00, 0x00, 0x00, 0x61, 0x62], Self.frame([0x00, 0x00]),
            ] {
                let body = prefix + [magic, 0xB5, 0x2F, 0xFD, 0x00, 0x08, 0xC0, 0x00, 0x00]
                let reply = RawReply.response(["Content-Encoding": "zstd"], body: body)
                let server = try RawServer(always: reply.sliced(into: slice))
                #expect(await CurlTransport().exchange(server.url()).code == .undecodableContent)
                let whole = RawReply.response(["Content-Encoding": "zstd"], body: prefix + Self.frame([0x00, 0x00]))
                let good = try RawServer(always: whole.sliced(into: slice))
                #expect(await CurlTransport().exchange(good.url()).code == nil)
            }
        }
    }

    #if os(Linux)
        /// Small bodies of very many zeros.
        private static let bombs: [(String, RawReply)] = {
            // 80 MiB of zeros, by the encoder of brotli.
            let br = Data(
                base64Encoded:
                    "z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf/+f//D0ACIA4LQPf+Hw==")
            // Blocks of one byte, 128 KiB times (RFC 8878, section 3.1.1.2).
            let zstd = StoredCoding.zstd.head + Array(repeating: [0x02, 0x00, 0x10, 0x00], count: 8_192).flatMap { $0 }
            let gzip = GzipMember.repeating([0], count: 80 << 20, isWhole: false)
            return [
                ("gzip", gzip), ("deflate", Array(gzip.dropFirst(GzipMember.head.count))), ("br", Array(br ?? Data())),
                ("zstd", zstd), ("gzip, zstd", StoredCoding.zstd.code(gzip)), ("zstd, br", StoredCoding.br.code(zstd)),
            ].map { ($0, .response(["Content-Encoding": $0], body: $1)) }
        }()

        /// 128 MiB of empty blocks in a window as large, and a bomb in another behind them.
        private static let wide: RawReply = {
            let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x88]
            let zeros = Array(repeating: [0x02, 0x00, 0x10, 0x00] as [UInt8], count: 1_100).flatMap { $0 }
            let body = head + StoredCoding.zstd.block(head) + zeros + StoredCoding.zstd.block(zeros)
            return .response(["Content-Encoding": "zstd, zstd"], body: body)
        }()

        /// 65 MiB of zeros in one coding or two, each with the largest window that it may have, without holding them.
        private static func full(_ codings: [StoredCoding]) -> RawReply {
            var block = [UInt8](repeating: 0, count: 65_000)
            for coding in codings { block = coding.block(block) }
            let first = codings.count > 1 ? codings[1].head + codings[1].block(codings[0].head) : codings[0].head
            let names = codings.map(\.rawValue).joined(separator: ", ")
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(names)\r\n\r\n"
            return RawReply(
                [.send(Array(head.utf8) + first)] + Array(repeating: .send(block), count: (65 << 20) / 65_000))
        }

        // The tests' own resolver is missing where a sanitizer is, whose memory would count.
        @Test(
            "No body in any coding or two takes more than 256 MiB, whatever it is made of",
            .enabled(if: patchbay_test_resolver_is_there() == 1, "a sanitizer takes memory of its own"))
        func memory() async {
            let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let one = StoredCoding.allCases.map { ($0.rawValue, Self.full([$0])) }
                let two = StoredCoding.allCases.flatMap { inner in
                    StoredCoding.allCases.map { ("\(inner), \($0)", Self.full([inner, $0])) }
                }
                let bodies =
                    [("two wide windows", Self.wide)] + Self.bombs.map { ("\($0) of few bytes", $1) } + one + two
                let next = Guarded(0)
                let server = try RawServer { _ in bodies[next.withLock { $0 }].1 }
                let manager = SessionManager(baseURL: server.url())
                print("before: \(try PeakMemory.kibibytes()) KiB at most")
                let count = TestLength.count(12, of: bodies.count, "bodies in codings")
                for (index, (name, _)) in bodies.prefix(count).enumerated() {
                    next.withLock { $0 = index }
                    let error = await #expect(throws: SessionError.self) { try await manager.get("x", as: Data.self) }
                    let isRefused = (error?.cause as? TransportFailure)?.code == .undecodableContent
                    let isExpected = index == 0 ? isRefused : error?.code == .bodyTooLarge
                    try #require(isExpected, "\(name): \(String(describing: error))")
                    print("\(name): \(try PeakMemory.kibibytes()) KiB at most, so far")
                    try #require(try PeakMemory.kibibytes() <= 256 << 10)
                }
            }
            print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
        }
    #endif
}
