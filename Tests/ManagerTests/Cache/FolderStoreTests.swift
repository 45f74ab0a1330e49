import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Answers in a folder", .timeLimit(.minutes(5))) struct FolderStoreTests {
    static let block = StoredLayout.blockSize

    @Test(
        "an answer of any size is found by the same store, by another one of the folder, and by one that was there before",
        arguments: [0, 1, 10_000, 65_535, 65_536, 65_537, 3 * 65_536, 3 * 65_536 + 17])
    func sizes(_ count: Int) async throws {
        let folder = TemporaryFolder()
        let before = folder.store()
        #expect(try await before.find("page") == nil)
        let store = folder.store()
        let body = pattern(count)
        #expect(await store.put("page", body) == nil)
        for store in [store, folder.store(), before] {
            let found = try #require(try await store.find("page"))
            #expect(found.body.elementsEqual(body))
            #expect(found.head.fields == FolderStore.fields)
            #expect(try await store.find("other") == nil)
        }
        #expect(folder.names.count == 2)
    }

    @Test("a validation gives the head other fields, for all stores, as often as it happens, or removes the answer")
    func validation() async throws {
        let folder = TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        let body = pattern(2 * Self.block)
        #expect(await one.put("page", body) == nil)
        for round in 0..<5 {
            let fields = FolderStore.fields.with(["X-Round": "\(round)"])
            await (round % 2 == 0 ? one : other).validate("page") { _ in fields }
            for store in [one, other, folder.store()] {
                let found = try #require(try await store.find("page"))
                #expect(found.head.fields == fields)
                #expect(found.body.elementsEqual(body))
            }
        }
        // There is no room for it.
        await one.validate("page") { $0.with(["X-Long": String(repeating: "a", count: 2_000)]) }
        #expect(try await other.find("page") == nil)
        #expect(folder.answers.isEmpty)
    }

    @Test("a validation of an answer that another store has replaced meanwhile changes nothing")
    func lateValidation() async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        #expect(await store.put("page", [1], received: 1) == nil)
        let found = try #require(await store.response("page"))
        #expect(await folder.store().put("page", [2], received: 2) == nil)
        let head = StoredHead(200, ["X-Late": "1"], found.head.variant, born: 1, received: 1)
        _ = await store.update(found, await store.digest(of: "page"), to: head, until: OneShot())
        #expect(try await store.find("page")?.head.fields == FolderStore.fields)
        #expect(try await store.find("page")?.body == [2])
    }

    @Test("variants of a URL are side by side, the newest that is selected counts, and all are removed together")
    func variants() async throws {
        let folder = TemporaryFolder()
        let (store, other) = (folder.store(), folder.store())
        #expect(await store.put("page", [1], variant: 1, received: 2) == nil)
        #expect(await other.put("page", [2], variant: 2, received: 1) == nil)
        for store in [store, other] {
            #expect(try await store.find("page", variant: 1)?.body == [1])
            #expect(try await store.find("page", variant: 2)?.body == [2])
            let url = await store.digest(of: "page")
            let newest = await store.response(url, where: { _ in true }, until: OneShot())
            #expect(newest.selected?.head.variant.digest == 1)
            let none = await store.response(url, where: { _ in false }, until: OneShot())
            #expect(none.selected == nil && none.hasOthers)
        }
        #expect(await other.put("page", [3], variant: 3) == nil)
        #expect(await store.put("there", [4]) == nil)
        await store.remove(await store.digest(of: "page"), until: OneShot())
        #expect(folder.answers == [await store.name(of: "there")])
    }

    @Test("more variants of a URL than the limit are removed, the oldest first")
    func manyVariants() async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        for number in 0..<70 { #expect(await store.put("page", [1], variant: UInt64(number)) == nil) }
        #expect(folder.answers.count == CacheIndex<UInt64>.mostVariants)
        #expect(try await store.find("page", variant: 5) == nil)
        #expect(try await store.find("page", variant: 6) != nil)
    }

    @Test("a new answer takes the place of those that it replaces")
    func replacing() async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        for number in 0..<3 { #expect(await store.put("page", [1], variant: UInt64(number)) == nil) }
        let head = StoredHead(200, [:], Variant(names: ["a"], digest: 9), born: 0, received: 0)
        let writer = store.writer(await store.digest(of: "page"), head)
        #expect(await writer.finish(replacing: { $0.variant.digest < 2 }, until: OneShot()) == nil)
        #expect(folder.answers.map { String($0.suffix(1)) } == ["2", "9"])
    }

    @Test("what was used least recently goes first, in whatever store it was used; a larger answer is not stored")
    func eviction() async throws {
        let folder = TemporaryFolder()
        let (store, other) = (folder.store(limit: 100_000), folder.store(limit: 100_000))
        let pages = (0..<4).map { "page\($0)" }
        for page in pages { #expect(await store.put(page, pattern(20_000)) == nil) }
        for (place, page) in pages.enumerated() { try await folder.setAge(100 - place, of: store.name(of: page)) }
        #expect(await store.put("large", pattern(120_000)) == "")
        #expect(folder.answers.count == 4)
        // The first is used by the other store.
        #expect(try await other.find("page0") != nil)
        #expect(await store.put("new", pattern(20_000)) == nil)
        try await until { folder.answers.count == 4 }
        var left: [String] = []
        for page in pages + ["new"] where folder.names.contains(await store.name(of: page)) { left.append(page) }
        #expect(left == ["page0", "page2", "page3", "new"])
        for page in left { #expect(try await store.find(page) != nil) }
        #expect(try await store.find("page1") == nil)
    }

    @Test("the bytes of a folder that is too full count from its first use on")
    func fullFolder() async throws {
        let folder = TemporaryFolder()
        let first = folder.store()
        for number in 0..<10 {
            #expect(await first.put("page\(number)", pattern(10_000)) == nil)
            try await folder.setAge(100 - number, of: first.name(of: "page\(number)"))
        }
        let store = folder.store(limit: 50_000)
        #expect(try await store.find("page0") == nil)
        #expect(try await store.find("page9") != nil)
        #expect(folder.answers.count == 3)
    }

    @Test("clear removes every answer, and nothing else")
    func clear() async throws {
        let folder = TemporaryFolder()
        let (store, other) = (folder.store(), folder.store())
        #expect(await store.put("page", [1]) == nil)
        #expect(await other.put("there", [1]) == nil)
        try folder.write("mine", to: "notes")
        await store.clear()
        #expect(folder.names == ["key", "notes"])
        for store in [store, other] { #expect(try await store.find("page") == nil) }
        #expect(await store.put("page", [2]) == nil)
        #expect(try await other.find("page")?.body == [2])
        // One that is cleared before its first use.
        await folder.store().clear()
        #expect(folder.names == ["key", "notes"])
    }

    @Test("the folder is made, and only its owner can use it and what is in it")
    func modes() async throws {
        let outer = TemporaryFolder()
        let store = FolderStore(outer.url.appending(path: "new/cache"), limit: 1 << 20)
        #expect(await store.put("page", [1]) == nil)
        #expect(outer.mode(of: "new/cache") == 0o700)
        #expect(outer.mode(of: "new/cache/key") == 0o600)
        #expect(outer.mode(of: "new/cache/" + (await store.name(of: "page"))) == 0o600)
    }

    @Test("parts that ended processes left go, and one that is being written stays")
    func parts() async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        let head = StoredHead(200, [:], Variant(names: [], digest: 0), born: 0, received: 0)
        let writer = store.writer(await store.digest(of: "page"), head)
        pattern(Self.block).withUnsafeBytes { writer.append($0) }
        // It has bytes once it is locked.
        try await until { folder.names.contains { $0 != "key" && (try? folder.bytes(of: $0))?.isEmpty == false } }
        for _ in 0..<3 { try folder.write("left", to: PartName.new(of: StoredPart.name)) }
        let new = PartName.new(of: StoredPart.name)
        for name in folder.names where name != "key" { folder.age(name) }
        try folder.write("new", to: new)
        await folder.store().clear()
        #expect(folder.names.count == 3 && folder.names.contains(new))
        #expect(await writer.finish(replacing: { _ in true }, until: OneShot()) == nil)
        #expect(try await store.find("page")?.body.elementsEqual(pattern(Self.block)) == true)
    }

    @Test("a key that was cut is made anew, and a folder that was removed, too")
    func key() async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        #expect(await store.put("page", [1]) == nil)
        for length in [0, 15, 17] {
            try folder.put(pattern(length), in: "key")
            let next = folder.store()
            #expect(try await next.find("page") == nil)
            #expect(await next.put("page", [2]) == nil)
            #expect(try await folder.store().find("page")?.body == [2])
            #expect(try folder.bytes(of: "key").count == 16)
        }
        try FileManager.default.removeItem(at: folder.url)
        #expect(await store.put("page", [3]) != nil)
        #expect(await store.put("page", [3]) == nil)
        #expect(try await folder.store().find("page")?.body == [3])
    }

    @Test("many stores that begin at once have one key")
    func oneKey() async throws {
        let folder = TemporaryFolder()
        let keys = await withTaskGroup(of: KeyedDigest.Value.self) { group in
            for _ in 0..<16 { group.addTask { await folder.store().digest(until: OneShot()).key } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
        #expect(folder.names == ["key"])
    }

    // MARK: Heads

    static let fields: [HeaderFields] = [
        [:], ["A": ""], ["A": "1", "a": "2", "B": "ä€😀"],
        HeaderFields([("A", "\u{E4}"), ("B", "b"), ("C", "\u{FF}")], latin1: [0, 2]),
        HeaderFields((0..<300).map { ("X-\($0)", String(repeating: "v", count: $0)) }),
    ]

    @Test("a head is read as it was written", arguments: fields)
    func heads(_ fields: HeaderFields) throws {
        let head = StoredHead(299, fields, Variant(names: ["a", "b"], digest: .max), born: -1.5, received: 1e10)
        let read = try #require(StoredHead(head.bytes[...]))
        #expect(read.fields == fields)
        #expect(fields.indices.allSatisfy { read.fields.octets(at: $0) == fields.octets(at: $0) })
        #expect((read.status, read.born, read.received) == (299, -1.5, 1e10))
        #expect(read.variant == head.variant)
    }

    @Test("a head that is cut or changed anywhere is another head or none, and ends nothing")
    func damagedHeads() {
        let head = StoredHead(
            200, FolderStore.fields, Variant(names: ["accept"], digest: 7), born: 1, received: 2)
        let bytes = head.bytes
        for end in 0..<bytes.count { _ = StoredHead(bytes[..<end]) }
        for place in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = bytes
                changed[place] = value
                _ = StoredHead(changed[...])
            }
        }
        for time in [Double.infinity, -.infinity, .nan] {
            for (born, received) in [(time, 1), (1, time)] {
                let head = StoredHead(200, [:], head.variant, born: born, received: received)
                #expect(StoredHead(head.bytes[...]) == nil)
            }
        }
        for status in [-1, 0, 199, 600, .max] {
            #expect(StoredHead(StoredHead(status, [:], head.variant, born: 1, received: 1).bytes[...]) == nil)
        }
    }

    @Test("the number of open files has a bound, and each place is given back")
    func slots() async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        #expect(await store.put("page", [1], received: 1) == nil)
        var slots: [OpenSlot] = []
        // The place of a stored response comes back when its file is closed, perhaps after `put`.
        while slots.count < OpenSlot.most {
            if let slot = store.slot() { slots.append(slot) } else { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(store.slot() == nil)
        #expect(await store.put("other", [1], received: 1) == "too many responses are stored at once")
        slots.removeLast()
        #expect(await store.put("other", [1], received: 1) == nil)
        slots.removeLast()
        #expect(try await store.find("other")?.body == [1])
    }

    @Test("only exact names are names")
    func names() {
        let name = StoredName(url: KeyedDigest.Value(high: 1, low: .max), variant: 0xAB)
        #expect(StoredName(name.text.utf8) == name)
        #expect(name.text == "0000000000000001ffffffffffffffff-00000000000000ab")
        let others = [
            "", "key", name.text.uppercased(), name.text + "0", String(name.text.dropLast()),
            name.text.replacingOccurrences(of: "-", with: "0"), "+" + name.text.dropFirst(),
            "." + name.text.dropFirst(),
            "/" + name.text.dropFirst(), name.text.replacingOccurrences(of: "ab", with: "-1"),
        ]
        for other in others { #expect(StoredName(other.utf8) == nil, "\(other)") }
        #expect(StoredName([UInt8](repeating: 0xFF, count: 49)) == nil)
    }
}

extension TemporaryFolder {
    /// Makes the last use of a file so many seconds old.
    func setAge(_ seconds: Int, of name: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date() - Double(seconds)], ofItemAtPath: url.appending(path: name).path)
    }
}
