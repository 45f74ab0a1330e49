import Foundation
import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

/// Manifests that are laid over the registry of a running manager.
@Suite(.timeLimit(.minutes(5))) struct ReloadTests {
    private let folder = TemporaryFolder()

    private struct Fixed: ResponseSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { 7 }
    }

    /// A manifest of entries for types of their own, by their ids, and whatever else it says.
    private func manifest(_ name: String, _ ids: String..., saying more: String = "") throws -> URL {
        let entries = ids.map { #"{ "id": "\#($0)", "factory": "words", "match": { "types": ["own/\#($0)"] } }"# }
        let file = folder.url.appending(path: name)
        let text = "{ \"manifestVersion\": 1\(more), \"plugins\": [\(entries.joined(separator: ", "))] }"
        try Data(text.utf8).write(to: file)
        return file
    }

    private func ids(_ manager: SessionManager, host: String? = nil) -> [String] {
        manager.registry.routes(host: host.flatMap { CanonicalHost($0) }).map(\.id)
    }

    @Test("files lie over the registry that the manager was given, and not over those of an earlier reload")
    func layers() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let digest = manager.registry.digest
        try manager.reload(manifests: [manifest("a", "a1", "a2")])
        #expect(ids(manager) == ["a1", "a2", "json", "words"])
        try manager.reload(manifests: [manifest("a", "a2"), manifest("b", "b")])
        #expect(ids(manager) == ["b", "a2", "json", "words"])
        try manager.reload(manifests: [])
        #expect(manager.registry.digest == digest)
    }

    @Test("an assigned registry is the new base")
    func assigned() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        try manager.reload(manifests: [manifest("a", "a")])
        manager.registry = try TestRegistry.make(#"[{ "id": "only", "factory": "json" }]"#)
        #expect(ids(manager) == ["only"])
        try manager.reload(manifests: [manifest("b", "b")])
        #expect(ids(manager) == ["b", "only"])
    }

    @Test("what code adds and replaces stays, before a reload and after one, and the files of the earlier one go")
    func code() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        manager.registry = try manager.registry.adding("first", factory: "words", types: ["x/1"])
        try manager.reload(manifests: [manifest("a", "a")])
        manager.registry = try manager.registry.adding(
            "second", factory: "words", types: ["x/2"]
        )
        .replacing("json", with: Fixed())
        #expect(ids(manager) == ["second", "a", "first", "json", "words"])
        try manager.reload(manifests: [manifest("b", "b")])
        #expect(ids(manager) == ["b", "second", "first", "json", "words"])
        #expect(manager.registry.routes(host: nil).filter(\.isReplaced).map(\.id) == ["json"])
    }

    @Test("a file that inherits nothing is the whole table, until the next reload")
    func whole() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        manager.registry = try manager.registry.adding("added", factory: "json").replacing("words", with: Fixed())
        let before = ids(manager)
        let whole = try manifest("whole", "z", "words", saying: #", "inherit": false"#)
        try manager.reload(manifests: [manifest("a", "a"), whole, manifest("b", "b")])
        #expect(ids(manager) == ["b", "z", "words"])
        #expect(manager.registry.routes(host: nil).map(\.isReplaced) == [false, false, true])
        try manager.reload(manifests: [manifest("a", "a")])
        #expect(ids(manager) == ["a"] + before)
    }

    @Test("a section of a host is laid over too, and goes with its file")
    func hosts() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let hosts = #", "hosts": { "one.test": { "use": ["words"] } }"#
        try manager.reload(manifests: [manifest("a", saying: hosts)])
        #expect(ids(manager, host: "one.test") == ["words"])
        try manager.reload(manifests: [manifest("a")])
        #expect(ids(manager, host: "one.test") == ["json", "words"])
    }

    @Test("a reload that fails leaves the registry, and the base, as they were; all faults are told at once")
    func failure() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        try manager.reload(manifests: [manifest("a", "a")])
        let digest = manager.registry.digest
        let missing = folder.url.appending(path: "missing")
        let faulty = try manifest("faulty", "json", saying: #", "polcy": {}"#)
        let failure = try #require(throws: ManifestFailure.self) {
            try manager.reload(manifests: [missing, faulty])
        }
        #expect(failure.issues.map(\.kind) == [.unreadableFile, .unknownKey])
        // The first file of a reload lies over something.
        let null = try manifest("null", saying: #", "aliases": null"#)
        let second = try #require(throws: ManifestFailure.self) { try manager.reload(manifests: [null, missing]) }
        #expect(second.issues.map(\.kind) == [.unreadableFile])
        #expect(throws: ManifestFailure.self) {
            try manager.reload(manifests: [manifest("unknown", saying: #", "policy": { "noMatch": "a" }"#)])
        }
        #expect(manager.registry.digest == digest)
        try manager.reload(manifests: [manifest("b", "b")])
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
        try manager.reload(manifests: [manifest("a", "a", saying: Self.hook)])
        #expect(ids(manager) == ["a", "added", "base"])
        #expect(hook.withLock { $0 == nil })
    }

    @Test("of two reloads at once the one that began last counts")
    func reloadedMeanwhile() throws {
        let hook = Shared<(@Sendable () throws -> Void)?>(nil)
        let manager = try manager(hooked: hook)
        let later = try manifest("later", "later")
        hook.withLock { $0 = { try manager.reload(manifests: [later]) } }
        try manager.reload(manifests: [manifest("a", "a", saying: Self.hook)])
        #expect(ids(manager) == ["later", "base"])
        // One that fails in the middle of another does not keep that one from its end.
        let missing = folder.url.appending(path: "missing")
        hook.withLock { $0 = { _ = try? manager.reload(manifests: [missing]) } }
        try manager.reload(manifests: [manifest("a", "a", saying: Self.hook)])
        #expect(ids(manager) == ["a", "base"])
    }

    @Test("all that is wrong with the other files is told, where one cannot be read")
    func unreadable() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let missing = folder.url.appending(path: "missing")
        let unknown = folder.url.appending(path: "unknown")
        let text =
            #"{ "manifestVersion": 1, "plugins": [{ "id": "u", "factory": "wrods" }, { "id": "w", "factory": "words", "options": { "x": 1 } }] }"#
        try Data(text.utf8).write(to: unknown)
        let failure = try #require(throws: ManifestFailure.self) {
            try manager.reload(manifests: [unknown, missing, manifest("good", "g")])
        }
        #expect(failure.issues.map(\.kind) == [.unknownFactory, .unknownOption, .unreadableFile])
    }

    @Test("the last eight registries can be put back by digest, each as the base that it had")
    func putBack() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        var digests = [manager.registry.digest]
        #expect(manager.earlierRegistries.isEmpty)
        for number in 1...10 {
            try manager.reload(manifests: [manifest("a", "a\(number)")])
            digests.append(manager.registry.digest)
        }
        // The same once more is nothing new.
        try manager.reload(manifests: [manifest("b", "a10")])
        #expect(manager.earlierRegistries.map(\.digest) == digests[2..<10].reversed())
        #expect(!manager.putBackRegistry(digest: digests[1]))
        #expect(!manager.putBackRegistry(digest: "of none"))
        #expect(ids(manager) == ["a10", "json", "words"])
        #expect(manager.putBackRegistry(digest: digests[4]))
        #expect(ids(manager) == ["a4", "json", "words"])
        let kept = [10, 9, 8, 7, 6, 5, 3, 2].map { digests[$0] }
        #expect(manager.earlierRegistries.map(\.digest) == kept)
        // That of the one in force changes nothing.
        #expect(manager.putBackRegistry(digest: digests[4]))
        #expect(manager.earlierRegistries.map(\.digest) == kept)
        manager.registry = try TestRegistry.make(#"[{ "id": "only", "factory": "json" }]"#)
        #expect(manager.putBackRegistry(digest: digests[10]))
        #expect(ids(manager) == ["a10", "json", "words"])
        try manager.reload(manifests: [manifest("c", "c")])
        #expect(ids(manager) == ["c", "json", "words"])
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
        for number in 0..<9 { try manager.reload(manifests: [manifest("a", "a\(number)")]) }
        manager.registry = base
        // The replaced serializer is part of all that the reloads made, so that it goes with the last of them.
        for number in 0..<9 { try manager.reload(manifests: [manifest("a", "b\(number)")]) }
        #expect(heard.withLock { $0 } == ["b7"])
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
                group.addTask { try manager.reload(manifests: [files[number % files.count]]) }
                group.addTask { if number % 4 == 0 { manager.registry = bases[number / 4 % bases.count] } }
            }
            try await group.waitForAll()
        }
        #expect(ids(manager).count { $0.hasPrefix("file-") } <= 1)
        try manager.reload(manifests: [files[0]])
        let found = ids(manager)
        #expect(found.count == 2)
        #expect(found.first == "file-0")
        #expect(found.last?.hasPrefix("base-") == true)
    }
}
