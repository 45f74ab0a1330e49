import Foundation
import PatchbayManager
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// Manifests that are laid over the registry of a running manager.
@Suite(.timeLimit(.minutes(5))) struct ReloadTests {
    private let folder = TemporaryFolder()

    private struct Fixed: ResponseSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { 7 }
    }

    /// A manifest of entries for types of their own, by their ids, and whatever else it says.
    private func manifest(_ name: String, _ ids: String..., saying more: String = "") throws -> ManifestSource {
        let entries = ids.map { #"{ "id": "\#($0)", "factory": "words", "match": { "types": ["own/\#($0)"] } }"# }
        let file = folder.url.appending(path: name)
        let text = "{ \"manifestVersion\": 1\(more), \"plugins\": [\(entries.joined(separator: ", "))] }"
        try Data(text.utf8).write(to: file)
        return .file(file)
    }

    private func ids(_ manager: SessionManager, host: String? = nil) -> [String] {
        manager.registry.routes(host: host.flatMap { CanonicalHost($0) }).map(\.id)
    }

    @Test("files lie over the registry that the manager was given, and not over those of an earlier reload")
    func layers() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let digest = manager.registry.digest
        try manager.reload([manifest("a", "a1", "a2")])
        #expect(ids(manager) == ["a1", "a2", "json", "words"])
        try manager.reload([manifest("a", "a2"), manifest("b", "b")])
        #expect(ids(manager) == ["b", "a2", "json", "words"])
        try manager.reload([])
        #expect(manager.registry.digest == digest)
    }

    @Test("the manifests of a registry go with a reload, as if it had been made of the new ones")
    func replaced() throws {
        let table = ManifestSource.text(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "json", "factory": "json", "match": { "types": ["@json"] } }] }"#
        )
        func registry(_ manifests: ManifestSource...) throws -> SerializerRegistry {
            try SerializerRegistry(sources: [table], under: manifests, factories: TestRegistry.factories)
        }
        let (a, b) = (try manifest("a", "a1", "a2"), try manifest("b", "b"))
        let (manager, _) = try stubManager(registry(a)) { _ in .json("1") }
        try manager.reload([b])
        #expect(ids(manager) == ["b", "json"])
        #expect(manager.registry.digest == (try registry(b).digest))
        manager.registry = try registry(a).overlaid(by: b)
        try manager.reload([a])
        #expect(manager.registry.digest == (try registry(a).digest))
        // The same manifests once more change nothing, under an entry of code either.
        manager.registry = try registry(a).adding("own", factory: "words", types: ["x/1"])
        let digest = manager.registry.digest
        try manager.reload([a])
        #expect(ids(manager) == ["own", "a1", "a2", "json"])
        #expect(manager.registry.digest == digest)
        // An entry that code put before one of a manifest needs that one.
        manager.registry = try registry(a).adding("own", factory: "words", types: ["x/1"], before: "a2")
        let failure = try #require(throws: ManifestFailure.self) { try manager.reload([b]) }
        #expect(failure.issues.map { "\($0.file) \($0.code)" } == ["adding(own) unknownEntry"])
        #expect(ids(manager) == ["a1", "own", "a2", "json"])
    }

    @Test(
        "a file of a reload that makes an entry under the id of one of code is refused; one that changes that entry is not"
    )
    func takenID() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        try manager.reload([manifest("a", "a")])
        manager.registry = try manager.registry.adding("mine", factory: "words", types: ["x/1"])
            .adding("theirs", factory: "words", types: ["x/2"], host: "one.test")
        let digest = manager.registry.digest
        let section = #", "hosts": { "one.test": { "plugins": [{ "id": "theirs", "factory": "words" }] } }"#
        let failure = try #require(throws: ManifestFailure.self) {
            try manager.reload([manifest("b", "b", "mine", saying: section)])
        }
        #expect(
            failure.issues.map { "\($0.code) \($0.pointer) \($0.message)" } == [
                #"duplicateID /plugins/1/id the id "mine" is taken by adding(mine)"#,
                #"duplicateID /hosts/one.test/plugins/0/id the id "theirs" is taken by adding(theirs)"#,
            ])
        #expect(manager.registry.digest == digest)
        let change = ManifestSource.text(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "mine", "factory": null, "enabled": false }] }"#)
        try manager.reload([change])
        #expect(manager.registry.routes(host: nil).first { $0.id == "mine" }?.availability == .switchedOff)
    }

    @Test("an id of code is refused wherever the files lie, and however the host is written")
    func takenIDs() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        manager.registry = try manager.registry.adding("mine", Fixed(), types: ["x/1"])
            .adding("theirs", Fixed(), types: ["x/2"], host: "one.test")
        for (host, id) in [("two.test", "mine"), ("One.test", "theirs"), ("one.test.", "theirs")] {
            let section = ##", "hosts": { "\##(host)": { "plugins": [{ "id": "\##(id)", "factory": "words" }] } }"##
            for _ in 0..<2 {
                let failure = try #require(throws: ManifestFailure.self) {
                    try manager.reload([manifest("a", saying: section)])
                }
                #expect(failure.issues.contains { $0.kind == .duplicateID && $0.message.hasSuffix("by adding(\(id))") })
                try manager.reload([manifest("b", "b")])
            }
        }
    }

    @Test("the files whose entry a later file takes away leave its id to code")
    func freedID() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let whole = try manifest("whole", "z", saying: #", "inherit": false"#)
        try manager.reload([manifest("a", "mine"), whole])
        manager.registry = try manager.registry.adding("mine", factory: "words", types: ["x/1"])
        try manager.reload([manifest("a", "mine"), whole])
        #expect(ids(manager) == ["mine", "z"])
    }

    @Test("an assigned registry is the new base")
    func assigned() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        try manager.reload([manifest("a", "a")])
        manager.registry = try TestRegistry.make(#"[{ "id": "only", "factory": "json" }]"#)
        #expect(ids(manager) == ["only"])
        try manager.reload([manifest("b", "b")])
        #expect(ids(manager) == ["b", "only"])
    }

    @Test(
        "what code adds and replaces stays where it is, before a reload and after one, and the files of the earlier one go"
    )
    func code() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        manager.registry = try manager.registry.adding("first", factory: "words", types: ["x/1"])
        try manager.reload([manifest("a", "a")])
        manager.registry = try manager.registry.adding(
            "second", factory: "words", types: ["x/2"]
        )
        .replacing("json", with: Fixed())
        #expect(ids(manager) == ["second", "a", "first", "json", "words"])
        try manager.reload([manifest("b", "b")])
        #expect(ids(manager) == ["second", "b", "first", "json", "words"])
        #expect(manager.registry.routes(host: nil).filter(\.isReplaced).map(\.id) == ["json"])
    }

    @Test("a file that inherits nothing is the whole table, until the next reload")
    func whole() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        manager.registry = try manager.registry.adding("added", factory: "json").replacing("words", with: Fixed())
        let before = ids(manager)
        let whole = try manifest("whole", "z", "words", saying: #", "inherit": false"#)
        try manager.reload([manifest("a", "a"), whole, manifest("b", "b")])
        #expect(ids(manager) == ["b", "z", "words"])
        #expect(manager.registry.routes(host: nil).map(\.isReplaced) == [false, false, true])
        try manager.reload([manifest("a", "a")])
        #expect(ids(manager) == ["a"] + before)
    }

    @Test("a section of a host is laid over too, and goes with its file")
    func hosts() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let hosts = #", "hosts": { "one.test": { "use": ["words"] } }"#
        try manager.reload([manifest("a", saying: hosts)])
        #expect(ids(manager, host: "one.test") == ["words"])
        try manager.reload([manifest("a")])
        #expect(ids(manager, host: "one.test") == ["json", "words"])
    }

    @Test("a reload that fails leaves the registry, and the base, as they were; all faults are told at once")
    func failure() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        try manager.reload([manifest("a", "a")])
        let digest = manager.registry.digest
        let missing = ManifestSource.file(folder.url.appending(path: "missing"))
        let faulty = try manifest("faulty", "json", saying: #", "polcy": {}"#)
        let failure = try #require(throws: ManifestFailure.self) {
            try manager.reload([missing, faulty])
        }
        #expect(failure.issues.map(\.kind) == [.unreadableFile, .unknownKey])
        // The first file of a reload lies over something.
        let null = try manifest("null", saying: #", "aliases": null"#)
        let second = try #require(throws: ManifestFailure.self) { try manager.reload([null, missing]) }
        #expect(second.issues.map(\.kind) == [.unreadableFile])
        #expect(throws: ManifestFailure.self) {
            try manager.reload([manifest("unknown", saying: #", "policy": { "noMatch": "a" }"#)])
        }
        #expect(manager.registry.digest == digest)
        try manager.reload([manifest("b", "b")])
        #expect(ids(manager) == ["b", "json", "words"])
    }

    /// A manager whose factory `hook` runs a closure, once, in the middle of a reload.
    private func manager(hooked hook: Shared<(@Sendable () throws -> Void)?>) throws -> SessionManager {
        var factories = TestRegistry.factories
        try factories.register("hook") {
            let run = hook.withLock { hook in
                defer { hook = nil }
                return hook
            }
            try run?()
            return Fixed()
        }
        let base = try SerializerRegistry(
            sources: [
                ManifestSource.text(
                    #"{ "manifestVersion": 1, "plugins": [{ "id": "base", "factory": "words", "match": { "types": ["a/b"] } }] }"#,
                    name: "base")
            ],
            factories: factories)
        return try stubManager(base) { _ in .json("1") }.0
    }

    private static let hook = #", "hosts": { "hook.test": { "plugins": [{ "id": "hook", "factory": "hook" }] } }"#

    @Test("a registry that is assigned in the middle of a reload becomes its base")
    func assignedMeanwhile() throws {
        let hook = Shared<(@Sendable () throws -> Void)?>(nil)
        let manager = try manager(hooked: hook)
        hook.withLock { hook in
            hook = { manager.registry = try manager.registry.adding("added", factory: "json") }
        }
        try manager.reload([manifest("a", "a", saying: Self.hook)])
        #expect(ids(manager) == ["a", "added", "base"])
        #expect(hook.withLock { $0 == nil })
    }

    @Test(
        "a factory that assigns the registry each time it runs ends the reload with a failure, not the program's patience"
    )
    func assigning() throws {
        let held = Shared<SessionManager?>(nil)
        let runs = Shared(0)
        var factories = SerializerFactories()
        try factories.register("assigning") {
            runs.withLock { $0 += 1 }
            if let manager = held.withLock({ $0 }) { manager.registry = manager.registry }
            return Fixed()
        }
        let base = try SerializerRegistry(sources: [.text(#"{ "manifestVersion": 1 }"#)], factories: factories)
        let manager = SessionManager(registry: base, transport: StubTransport { _ in StubReply() })
        held.withLock { $0 = manager }
        let text = #"{ "manifestVersion": 1, "plugins": [{ "id": "a", "factory": "assigning" }] }"#
        let failure = try #require(throws: ManifestFailure.self) { try manager.reload([.text(text)]) }
        #expect(failure.issues.map(\.code) == ["factoryFailed"])
        #expect(runs.withLock { $0 } == 100)
        #expect(manager.registry.digest == base.digest)
        held.withLock { $0 = nil }
    }

    @Test("of two reloads at once the one that began last counts")
    func reloadedMeanwhile() throws {
        let hook = Shared<(@Sendable () throws -> Void)?>(nil)
        let manager = try manager(hooked: hook)
        let later = try manifest("later", "later")
        hook.withLock { $0 = { try manager.reload([later]) } }
        try manager.reload([manifest("a", "a", saying: Self.hook)])
        #expect(ids(manager) == ["later", "base"])
        // One that fails in the middle of another does not keep that one from its end.
        let missing = ManifestSource.file(folder.url.appending(path: "missing"))
        hook.withLock { $0 = { _ = try? manager.reload([missing]) } }
        try manager.reload([manifest("a", "a", saying: Self.hook)])
        #expect(ids(manager) == ["a", "base"])
    }

    @Test("all that is wrong with the other files is told, where one cannot be read")
    func unreadable() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let missing = ManifestSource.file(folder.url.appending(path: "missing"))
        let unknown = folder.url.appending(path: "unknown")
        let text =
            #"{ "manifestVersion": 1, "plugins": [{ "id": "u", "factory": "wrods" }, { "id": "w", "factory": "words", "options": { "x": 1 } }] }"#
        try Data(text.utf8).write(to: unknown)
        let failure = try #require(throws: ManifestFailure.self) {
            try manager.reload([.file(unknown), missing, manifest("good", "g")])
        }
        #expect(failure.issues.map(\.kind) == [.unknownFactory, .unknownOption, .unreadableFile])
    }

    /// A serializer that asks a closure when nobody holds it any more.
    private final class Parting: ResponseSerializer {
        let last: @Sendable () -> Void
        init(_ last: @escaping @Sendable () -> Void) { self.last = last }
        deinit { last() }
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { 7 }
    }

    @Test("a serializer whose registry is not kept may ask the manager when it goes")
    func partingWords() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let (base, heard) = (manager.registry, Shared<[String]>([]))
        manager.registry = try base.replacing(
            "json",
            with: Parting { [weak manager] in
                let id = manager?.registry.routes(host: nil).first?.id ?? "no manager"
                heard.withLock { $0.append(id) }
            })
        for number in 0..<9 { try manager.reload([manifest("a", "a\(number)")]) }
        // The replaced serializer is part of all that the reloads made.
        #expect(heard.withLock { $0 } == [])
        manager.registry = base
        #expect(heard.withLock { $0 } == ["json"])
    }

    @Test("reloads and assignments from many tasks end in one of the files over one of the bases")
    func many() async throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let files = try (0..<8).map { try manifest("file-\($0)", "file-\($0)") }
        let bases = try (0..<4).map { number in
            try TestRegistry.make(#"[{ "id": "base-\#(number)", "factory": "json" }]"#)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask { try manager.reload([files[number % files.count]]) }
                group.addTask { if number % 4 == 0 { manager.registry = bases[number / 4 % bases.count] } }
            }
            try await group.waitForAll()
        }
        #expect(ids(manager).count { $0.hasPrefix("file-") } <= 1)
        try manager.reload([files[0]])
        let found = ids(manager)
        #expect(found.count == 2)
        #expect(found.first == "file-0")
        #expect(found.last?.hasPrefix("base-") == true)
    }
}
