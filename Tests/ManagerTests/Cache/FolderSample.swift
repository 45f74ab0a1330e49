import Foundation
import PatchbayPlatform
import PatchbayRegistry
import TestSupport

@testable import PatchbayManager

/// Answers of a folder without calls.
extension FolderStore {
    static let fields: HeaderFields = [
        "Content-Type": "application/json", "Cache-Control": "max-age=60", "ETag": "\"a\"",
    ]

    /// Stores an answer; returns the reason that it is not stored.
    func put(
        _ page: String, _ body: [UInt8], _ fields: HeaderFields = fields, variant: UInt64 = 0, names: [String] = [],
        received: Double = Date().timeIntervalSince1970, stop: OneShot = OneShot()
    ) async -> String? {
        let head = StoredHead(
            200, fields, Variant(names: names, digest: variant), born: received, received: received)
        let writer = writer(await digest(of: page), head)
        for start in stride(from: 0, to: body.count, by: 30_000) {
            body[start..<min(start + 30_000, body.count)].withUnsafeBytes { writer.append($0) }
        }
        return await writer.finish(replacing: { $0.variant.digest == variant }, until: stop)
    }

    /// The stored answer, whole; nil without one. Throws where its body is damaged.
    func find(_ page: String, variant: UInt64 = 0) async throws -> (head: StoredHead, body: [UInt8])? {
        guard let found = await response(page, variant: variant) else { return nil }
        switch found.body {
        case .memory(let body): return (found.head, body.withUnsafeBytes { Array($0) })
        case .file(let body):
            var (bytes, number): ([UInt8], Int) = ([], 0)
            while let block = try await body.block(number, until: OneShot()) {
                bytes += block
                number += 1
            }
            return (found.head, bytes)
        }
    }

    func response(_ page: String, variant: UInt64 = 0) async -> StoredResponse? {
        await response(await digest(of: page), where: { $0.variant.digest == variant }, until: OneShot()).selected
    }

    /// Gives the stored answer other fields.
    func validate(_ page: String, _ change: (HeaderFields) -> HeaderFields) async {
        guard let found = await response(page) else { return }
        let head = StoredHead(
            200, change(found.head.fields), found.head.variant, born: found.head.born, received: found.head.received)
        _ = await update(found, await digest(of: page), to: head, until: OneShot())
    }

    func digest(of page: String) async -> KeyedDigest.Value {
        await digest(until: OneShot()).value(of: Array(page.utf8))
    }

    /// The name of the answer's file.
    func name(of page: String, variant: UInt64 = 0) async -> String {
        StoredName(url: await digest(of: page), variant: variant).text
    }
}

extension FileCalls {
    /// The calls where the system has no file in memory.
    static let nothingInMemory = {
        var calls = inMemory
        calls.openFile = { _, _, _ in
            errno = EAGAIN
            return -1
        }
        return calls
    }()
}

extension TemporaryFolder {
    /// A store that reads the folder at each miss.
    func store(limit: Int = 1 << 26) -> FolderStore { FolderStore(url, limit: limit, pause: .zero) }

    /// The same with calls of the test, which no reading from memory passes by.
    func store(_ calls: FileCalls) -> FolderStore {
        FolderStore(url, limit: 1 << 26, calls: calls, inMemory: .nothingInMemory, pause: .zero)
    }

    /// The names of stored answers.
    var answers: [String] { names.filter { StoredName($0.utf8) != nil } }

    func bytes(of name: String) throws -> [UInt8] { Array(try Data(contentsOf: url.appending(path: name))) }

    func put(_ bytes: [UInt8], in name: String) throws { try Data(bytes).write(to: url.appending(path: name)) }
}

/// Bytes that differ everywhere, the same for each seed.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var (state, bytes) = (seed &* 0x9E37_79B9_7F4A_7C15, [UInt8]())
    bytes.reserveCapacity(count)
    for _ in 0..<count {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(UInt8(truncatingIfNeeded: state >> 56))
    }
    return bytes
}
