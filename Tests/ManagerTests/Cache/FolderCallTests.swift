import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Calls with a folder of answers", .timeLimit(.minutes(5))) struct FolderCallTests {
    static let small = pattern(1_000)
    static let large = pattern(3 * StoredLayout.blockSize + 100)

    static func manager(
        _ store: FolderStore, observers: [any SessionObserver] = [], fields: HeaderFields = FolderStore.fields,
        _ body: @escaping @Sendable (TransportRequest) -> [UInt8] = {
            $0.head.url.path == "/large" && $0.head.method == "GET" ? large : small
        }
    ) throws -> (SessionManager, StubTransport) {
        var configuration = SessionConfiguration(observers: observers)
        configuration.cache = ResponseCache(store)
        return try stubManager(configuration: configuration) { request in
            if request.head.fields["If-None-Match"] != nil { return StubReply(status: 304, fields: fields) }
            let bytes = body(request)
            return StubReply(
                fields: fields,
                chunks: stride(from: 0, to: bytes.count, by: 50_000).map { Data(bytes[$0...].prefix(50_000)) })
        }
    }

    @Test("an answer is a hit for every cache of the folder, in memory, as a file, and as elements")
    func caches() async throws {
        let folder = TemporaryFolder()
        let saved = TemporaryFolder()
        let counts = Shared(0)
        for round in 0..<3 {
            var configuration = SessionConfiguration()
            configuration.cache = .folder(folder.url, bytes: 1 << 20)
            let (manager, _) = try stubManager(configuration: configuration) { request in
                counts.withLock { $0 += 1 }
                return StubReply(
                    fields: FolderStore.fields, body: Data(request.head.url.path == "/large" ? Self.large : Self.small))
            }
            for (page, body) in [("small", Self.small), ("large", Self.large)] {
                let reply = try await manager.send(SessionRequest(page), as: Data.self)
                #expect(Array(reply.value).elementsEqual(body))
                #expect(reply.cacheStatus?.isHit == (round > 0))
                let request = SessionRequest(page, headers: ["Accept": reply.head.request.fields["Accept"] ?? "*/*"])
                let url = saved.url.appending(path: "\(page)\(round)")
                let file = try await manager.download(request, to: .file(url))
                #expect(try Array(Data(contentsOf: file.value)).elementsEqual(body))
            }
        }
        // Each with the Accept of the typed call and that of the download.
        #expect(counts.withLock { $0 } <= 4)
        #expect(folder.answers.count == counts.withLock { $0 })
    }

    @Test("a stale answer is validated, and the next process finds it fresh")
    func validation() async throws {
        let folder = TemporaryFolder()
        let clock = Shared(1_000_000.0)
        func manager() throws -> (SessionManager, StubTransport) {
            var configuration = SessionConfiguration()
            configuration.cache = ResponseCache(folder.store()) { clock.withLock { $0 } }
            return try stubManager(configuration: configuration) { request in
                request.head.fields["If-None-Match"] == nil
                    ? StubReply(fields: FolderStore.fields, body: Data(Self.large))
                    : StubReply(status: 304, fields: FolderStore.fields)
            }
        }
        for (wait, status) in [
            (0.0, "fwd=miss; stored; ttl=60"), (10, "hit; ttl=50"), (50, "fwd=stale; fwd-status=304; stored; ttl=60"),
            (10, "hit; ttl=50"), (100, "fwd=stale; fwd-status=304; stored; ttl=60"), (1, "hit; ttl=59"),
        ] {
            clock.withLock { $0 += wait }
            let reply = try await manager().0.send(SessionRequest("page"), as: Data.self)
            #expect(Array(reply.value).elementsEqual(Self.large))
            #expect(reply.cacheStatus.map { "\($0)" } == status)
        }
    }

    @Test("an unsafe request removes what another process has stored a moment ago")
    func invalidation() async throws {
        let folder = TemporaryFolder()
        let (manager, _) = try Self.manager(folder.store())
        #expect(try await manager.send(SessionRequest("small"), as: Data.self).cacheStatus?.isStored == true)
        // This one has read the folder, and waits a second before it does so again.
        let (other, _) = try Self.manager(FolderStore(folder.url, limit: 1 << 20))
        #expect(try await other.send(SessionRequest("other"), as: Data.self).cacheStatus?.isStored == true)
        #expect(try await manager.send(SessionRequest("large"), as: Data.self).cacheStatus?.isStored == true)
        _ = try await other.send(SessionRequest("large", method: "DELETE"), as: Void.self)
        #expect(try await manager.send(SessionRequest("large"), as: Data.self).cacheStatus?.isHit == false)
        #expect(try await manager.send(SessionRequest("small"), as: Data.self).cacheStatus?.isHit == true)
    }

    // MARK: Damage

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var page = "large"
        /// Whether a part of the answer was given before.
        var isLate = false
        /// Whether the answer is still whole.
        var isHarmless = false
        let change: @Sendable (inout [UInt8]) -> Void

        static func flip(_ name: String, at place: Int, isLate: Bool = false, isHarmless: Bool = false) -> Damage {
            Damage(testDescription: name, isLate: isLate, isHarmless: isHarmless) { bytes in
                bytes[place < 0 ? bytes.count + place : place] ^= 0x10
            }
        }
        static func cut(_ name: String, to count: Int, page: String = "large") -> Damage {
            Damage(testDescription: name, page: page) { bytes in
                bytes.removeLast(count < 0 ? -count : bytes.count - count)
            }
        }

        static let tail = 100 + 8
        static let block = 8 + StoredLayout.blockSize

        static let all =
            [
                flip("the magic number", at: 0), flip("the size of a slot", at: 8), flip("its highest byte", at: 15),
                flip("the random number", at: 20), flip("the checksum of the head", at: 24),
                flip("the sequence number", at: 32), flip("the length of the body", at: 40),
                flip("the length of the head", at: 48), flip("the highest byte of that", at: 55),
                flip("the head", at: 60), flip("the first block", at: -tail - 3 * block + 100),
                flip("the checksum of the first block", at: -tail - 3 * block),
                flip("the empty slot", at: -tail - 3 * block - 1, isHarmless: true),
                flip("the second block", at: -tail - 2 * block + 50, isLate: true),
                flip("the checksum of the third block", at: -tail - block, isLate: true),
                flip("the last byte", at: -1, isLate: true), cut("no bytes", to: 0), cut("a byte", to: 1),
                cut("the preamble", to: 24), cut("half of the head", to: 100), cut("less the last byte", to: -1),
                cut("less the last block", to: -tail), cut("a small one less a byte", to: -1, page: "small"),
                cut("a small one without its body", to: -1_008, page: "small"),
                Damage(testDescription: "a byte more") { $0.append(0) },
                Damage(testDescription: "zeros only") { $0 = [UInt8](repeating: 0, count: $0.count) },
                Damage(testDescription: "text", page: "small") { $0 = Array("{}".utf8) },
                Damage(testDescription: "a changed byte of a small body", page: "small") { $0[$0.count - 1] ^= 1 },
                Damage(testDescription: "two blocks that change places", isLate: true) { bytes in
                    let (second, third) = (bytes.count - tail - 2 * block, bytes.count - tail - block)
                    for place in 0..<block { bytes.swapAt(second + place, third + place) }
                },
            ]
    }

    @Test("a damaged answer is asked for anew, or ends as a connection that was lost, once", arguments: Damage.all)
    func damage(_ damage: Damage) async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        let (manager, stub) = try Self.manager(store)
        let body = damage.page == "large" ? Self.large : Self.small
        let request = SessionRequest(damage.page)
        #expect(Array(try await manager.send(request, as: Data.self).value) == body)
        let name = try #require(folder.answers.first)
        var bytes = try folder.bytes(of: name)
        damage.change(&bytes)
        try folder.put(bytes, in: name)
        if damage.isLate {
            let error = await #expect(throws: SessionError.self) { try await manager.send(request, as: Data.self) }
            #expect((error?.cause as? TransportFailure)?.code == .lostConnection)
            #expect(folder.answers.isEmpty)
            #expect(stub.requests.count == 1)
        }
        for _ in 0..<3 { #expect(Array(try await manager.send(request, as: Data.self).value) == body) }
        #expect(stub.requests.count == (damage.isHarmless ? 1 : 2))
        #expect(folder.answers == [name])
    }

    @Test("a validation that broke off leaves the head that was there before")
    func tornValidation() async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        #expect(await store.put("page", Self.small) == nil)
        let name = await store.name(of: "page")
        let before = try folder.bytes(of: name)
        await store.validate("page") { _ in ["X-New": "1"] }
        let after = try folder.bytes(of: name)
        let changed = before.indices.filter { before[$0] != after[$0] }
        let (first, last) = (try #require(changed.first), try #require(changed.last))
        for end in first...last {
            try folder.put(Array(after[..<end] + before[end...]), in: name)
            let found = try #require(try await folder.store().find("page"))
            #expect(found.head.fields == FolderStore.fields)
            #expect(found.body == Self.small)
        }
        try folder.put(after, in: name)
        #expect(try await folder.store().find("page")?.head.fields == ["X-New": "1"])
    }

    @Test("an answer under the name of another URL, or of another folder, is not used")
    func otherName() async throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        let (store, foreign) = (folder.store(), other.store())
        #expect(await store.put("page", [1]) == nil)
        #expect(await foreign.put("page", [2]) == nil)
        let bytes = try folder.bytes(of: await store.name(of: "page"))
        try folder.put(bytes, in: await store.name(of: "there"))
        try folder.put(try other.bytes(of: await foreign.name(of: "page")), in: await store.name(of: "elsewhere"))
        #expect(try await store.find("there") == nil)
        #expect(try await store.find("elsewhere") == nil)
        #expect(try await store.find("page")?.body == [1])
        #expect(folder.answers.count == 1)
    }

    // MARK: What else is in the folder

    @Test("links, pipes, folders and files of others are neither opened nor changed, whatever their names are")
    func neighbours() async throws {
        let folder = TemporaryFolder()
        let outside = TemporaryFolder()
        let store = folder.store(limit: 10_000)
        let kinds: [TemporaryFolder.Kind] = [.folder, .link, .pipe]
        var names: [String] = []
        for (number, kind) in kinds.enumerated() {
            for page in ["small", "\(number)"] {
                // A name of an answer that is asked for, and a name that only looks like one.
                let name = StoredName(url: await store.digest(of: page), variant: UInt64(number)).text
                try? FileManager.default.removeItem(at: folder.url.appending(path: "target"))
                try folder.make(kind, name)
                names.append(name)
            }
        }
        let secret = try outside.write("secret", to: "secret")
        let link = StoredName(url: await store.digest(of: "linked"), variant: 0).text
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: link).path, withDestinationPath: secret)
        for number in 0..<10_000 { try folder.write("", to: "foreign-\(number)") }
        let before = folder.names
        for page in ["small", "0", "1", "2", "linked"] {
            #expect(await store.response(page) == nil)
            for variant in 0..<3 { #expect(await store.response(page, variant: UInt64(variant)) == nil) }
        }
        #expect(await store.put("linked", [1]) == "its file cannot be written: something else has its name")
        for number in 0..<3 {
            #expect(
                await store.put("\(number)", [1], variant: UInt64(number))
                    == "its file cannot be written: something else has its name")
        }
        #expect(await store.put("page", [1]) == nil)
        #expect(try await store.find("page")?.body == [1])
        await store.remove(await store.digest(of: "small"), until: OneShot())
        await store.clear()
        #expect(folder.names == before)
        #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret")
    }

    @Test(
        "an answer and a key that belong to another user are left alone",
        .enabled(if: geteuid() == 0, "only root can give files away"))
    func otherUser() async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        #expect(await store.put("page", [1]) == nil)
        let name = await store.name(of: "page")
        let bytes = try folder.bytes(of: name)
        chown(folder.url.appending(path: name).path, 12_345, 12_345)
        #expect(try await store.find("page") == nil)
        #expect(try await folder.store().find("page") == nil)
        #expect(await store.put("page", [2]) == "its file cannot be written: something else has its name")
        await store.clear()
        #expect(try folder.bytes(of: name) == bytes)
        chown(folder.url.appending(path: "key").path, 12_345, 12_345)
        #expect(await folder.store().put("there", [1]) == "key cannot be read: it is no plain file of this user")
        #expect(folder.names == [name, "key"].sorted())
    }

    @Test("while the process has no more descriptors, calls go on, and afterwards what was stored is found")
    func noDescriptors() async throws {
        let folder = TemporaryFolder()
        let isOut = Shared(false)
        var calls = FileCalls.system
        calls.openFile = { file, name, flags in
            guard isOut.withLock({ $0 }) else { return FileCalls.system.openFile(file, name, flags) }
            errno = EMFILE
            return -1
        }
        let store = folder.store(calls)
        #expect(await store.put("page", [1]) == nil)
        // Nothing changes in the folder any more.
        try folder.setAge(100, of: ".")
        #expect(try await store.find("none") == nil)
        isOut.withLock { $0 = true }
        for _ in 0..<2 { #expect(try await store.find("page") == nil) }
        #expect(await store.put("there", [1]) == "its file cannot be written: Too many open files")
        isOut.withLock { $0 = false }
        #expect(try await store.find("page")?.body == [1])
    }

    @Test("a key that is a link, a folder or a pipe is left alone, and nothing is stored", arguments: [0, 1, 2])
    func foreignKey(_ number: Int) async throws {
        let folder = TemporaryFolder()
        try folder.make([.folder, .link, .pipe][number], "key")
        let before = folder.names
        let log = EventLog()
        let (manager, stub) = try Self.manager(folder.store(), observers: [log])
        for _ in 0..<2 {
            #expect(Array(try await manager.send(SessionRequest("small"), as: Data.self).value) == Self.small)
        }
        #expect(stub.requests.count == 2)
        await log.hears(ends: 2)
        #expect(log.lines(of: 1).contains { $0.hasPrefix("noted the response is not stored: key cannot be read: ") })
        #expect(folder.names == before)
    }
}
