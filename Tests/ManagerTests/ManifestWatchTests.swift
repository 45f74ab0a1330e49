import Foundation
import PatchbayManager
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// Manifests that a running manager picks up when they change.
///
/// A test waits for the change that is to happen, and only the time limit ends a wait in vain.
@Suite(.timeLimit(.minutes(5))) struct ManifestWatchTests {
    /// Files in a folder of one test, the manager that they are laid over, and what a watch of them has said.
    fileprivate final class Scene: Sendable {
        let folder = TemporaryFolder()
        let manager: SessionManager
        private let failures = Shared<[ManifestFailure]>([])
        private let reloads = Shared<[String]>([])

        init(_ registry: SerializerRegistry? = nil) throws {
            (manager, _) = try stubManager(registry) { _ in .json("1") }
        }

        var told: [ManifestFailure] { failures.withLock { $0 } }
        var digests: [String] { reloads.withLock { $0 } }
        var ids: [String] { manager.registry.routes(host: nil).map(\.id) }

        func file(_ name: String) -> URL { folder.url.appending(path: name) }

        func watch(
            _ names: String..., every pause: Duration = pause,
            onFailure: @escaping @Sendable (ManifestFailure) -> Void = { _ in }
        ) -> Watch {
            Watch(manager, names.map { .file(file($0)) }, pause) { [failures, reloads] result in
                switch result {
                case .success(let registry): reloads.withLock { $0.append(registry.digest) }
                case .failure(let failure):
                    failures.withLock { $0.append(failure) }
                    onFailure(failure)
                }
            }
        }

        /// Waits until the entries of the manager are these, besides those of the base.
        func expect(_ ids: String..., sourceLocation: SourceLocation = #_sourceLocation) async {
            let wanted = ids + ["json", "words"]
            while self.ids != wanted, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            #expect(self.ids == wanted, sourceLocation: sourceLocation)
        }

        /// Waits until so many failures have been told.
        func expectFailures(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
            while told.count < count, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            #expect(told.count == count, sourceLocation: sourceLocation)
        }

        /// Writes into the file that has the name, or makes it.
        /// Writes the file in one step: a look at a part of it would be one failure more.
        func write(_ name: String, _ id: String) throws { try Scene.text(id).write(to: file(name), options: .atomic) }

        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: file(name).path, withDestinationPath: target)
        }

        func makeFolder(_ name: String) throws {
            try FileManager.default.createDirectory(at: file(name), withIntermediateDirectories: true)
        }

        /// `rename(2)`, which replaces what has the name.
        func move(_ old: String, to new: String) { #expect(rename(file(old).path, file(new).path) == 0) }

        /// A manifest of one entry for a type of its own.
        static func text(_ id: String, factory: String = "words") -> Data {
            Data(
                """
                { "manifestVersion": 1,
                  "plugins": [{ "id": "\(id)", "factory": "\(factory)", "match": { "types": ["own/\(id)"] } }] }
                """.utf8)
        }
    }

    /// A watch in a task of its own, which is cancelled with this.
    fileprivate final class Watch: Sendable {
        private let task: Task<Void, Never>

        init(
            _ manager: SessionManager, _ manifests: [ManifestSource], _ pause: Duration = pause,
            _ onChange: @escaping @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void
        ) {
            task = Task { await manager.watch(manifests, lookingEvery: pause, onChange: onChange) }
        }

        deinit { cancel() }

        func cancel() { task.cancel() }

        /// Returns when the call has.
        func ended() async { await task.value }
    }

    /// What may happen to a file, from its first content `a` to its second, `b`.
    enum Change: String, CaseIterable, Sendable {
        case inPlace = "written in place"
        case movedOver = "another file renamed over it"
        case remade = "deleted and made again"
        case dataSwap = "the ..data link of Kubernetes swapped"
        case linkedTwice = "the last link of a chain replaced"
        case relinked = "the first link of a chain replaced"
        case writtenBehindLinks = "the file behind a chain written in place"
        case folderReplaced = "a folder of the chain replaced"
        case folderRemade = "a folder of the chain removed and made again"

        fileprivate func prepare(_ scene: Scene) throws {
            switch self {
            case .inPlace, .movedOver, .remade: try scene.write("Plugins.json", "a")
            case .dataSwap:
                for (folder, id) in [("..2026_1", "a"), ("..2026_2", "b")] {
                    try scene.makeFolder(folder)
                    try scene.write(folder + "/Plugins.json", id)
                }
                try scene.link("..data", to: "..2026_1")
                try scene.link("Plugins.json", to: "..data/Plugins.json")
            case .linkedTwice, .relinked, .writtenBehindLinks:
                for folder in ["one", "two", "two/deep", "three"] { try scene.makeFolder(folder) }
                try scene.write("three/a.json", "a")
                try scene.write("three/b.json", "b")
                try scene.link("two/deep/link", to: "../../three/a.json")
                try scene.link("one/link", to: scene.file("two/deep/link").path)
                try scene.link("Plugins.json", to: "./one/../one//link")
            case .folderReplaced, .folderRemade:
                try scene.makeFolder("etc/shop")
                try scene.makeFolder("new/shop")
                try scene.write("etc/shop/Plugins.json", "a")
                try scene.write("new/shop/Plugins.json", "b")
                try scene.link("Plugins.json", to: "etc/shop/Plugins.json")
            }
        }

        fileprivate func perform(_ scene: Scene) throws {
            switch self {
            case .inPlace: try Scene.text("b").write(to: scene.file("Plugins.json"))
            case .writtenBehindLinks: try Scene.text("b").write(to: scene.file("three/a.json"))
            case .movedOver:
                try scene.write("other", "b")
                scene.move("other", to: "Plugins.json")
            case .remade:
                try FileManager.default.removeItem(at: scene.file("Plugins.json"))
                try scene.write("Plugins.json", "b")
            case .dataSwap:
                try scene.link("..data_tmp", to: "..2026_2")
                scene.move("..data_tmp", to: "..data")
                try FileManager.default.removeItem(at: scene.file("..2026_1"))
            case .linkedTwice:
                try scene.link("two/deep/other", to: "../../three/b.json")
                scene.move("two/deep/other", to: "two/deep/link")
            case .relinked:
                try scene.link("other", to: "three/b.json")
                scene.move("other", to: "Plugins.json")
            case .folderReplaced:
                scene.move("etc", to: "old")
                scene.move("new", to: "etc")
            case .folderRemade:
                try FileManager.default.removeItem(at: scene.file("etc"))
                try scene.makeFolder("etc/shop")
                try scene.write("etc/shop/Plugins.json", "b")
            }
        }
    }

    @Test(
        "a change is in force, and so is the next one, in the place where the file is then", arguments: Change.allCases)
    func changes(_ change: Change) async throws {
        let scene = try Scene()
        try change.prepare(scene)
        let watch = scene.watch("Plugins.json")
        await scene.expect("a")
        try change.perform(scene)
        await scene.expect("b")
        try Scene.text("c").write(to: scene.file("Plugins.json").resolvingSymlinksInPath())
        await scene.expect("c")
        withExtendedLifetime(watch) {}
    }

    @Test("a bad file keeps the registry, and its faults are told once, until it holds something else")
    func bad() async throws {
        let scene = try Scene()
        try scene.write("Plugins.json", "a")
        let watch = scene.watch("Plugins.json")
        await scene.expect("a")
        let digest = scene.manager.registry.digest
        let faulty = Data(
            #"{ "manifestVersion": 1, "polcy": {}, "plugins": [{ "id": "B", "factory": "words" }] }"#.utf8)
        try faulty.write(to: scene.file("Plugins.json"), options: .atomic)
        await scene.expectFailures(1)
        #expect(scene.told.first?.issues.map(\.kind) == [.unknownKey, .invalidID])
        #expect(scene.told.first?.issues.map(\.pointer) == ["/polcy", "/plugins/0/id"])
        // The same bytes once more, then other bytes with other faults.
        try faulty.write(to: scene.file("Plugins.json"), options: .atomic)
        try Data("{".utf8).write(to: scene.file("Plugins.json"), options: .atomic)
        await scene.expectFailures(2)
        #expect(scene.told.last?.issues.map(\.kind) == [.invalidJSON])
        #expect(scene.manager.registry.digest == digest)
        try FileManager.default.removeItem(at: scene.file("Plugins.json"))
        await scene.expectFailures(3)
        #expect(scene.told.last?.issues.map(\.kind) == [.unreadableFile])
        #expect(scene.manager.registry.digest == digest)
        try scene.write("Plugins.json", "b")
        await scene.expect("b")
        #expect(scene.told.count == 3)
        withExtendedLifetime(watch) {}
    }

    @Test("the same faulty bytes in a new file are not told again")
    func sameFaults() async throws {
        let scene = try Scene()
        try Data("[]".utf8).write(to: scene.file("Plugins.json"))
        let watch = scene.watch("Plugins.json", "other.json")
        await scene.expectFailures(1)
        for _ in 0..<5 {
            try Data("[]".utf8).write(to: scene.file("next"))
            scene.move("next", to: "Plugins.json")
            try await Task.sleep(for: .milliseconds(20))
        }
        // The change of another file shows that the watch has seen what came before.
        try scene.write("other.json", "b")
        await scene.expectFailures(2)
        #expect(scene.told.map { $0.issues.map(\.file) } == [["Plugins.json", "other.json"], ["Plugins.json"]])
        withExtendedLifetime(watch) {}
    }

    @Test("a file that is being written counts when it is whole")
    func halfWritten() async throws {
        let scene = try Scene()
        try scene.write("Plugins.json", "a")
        let watch = scene.watch("Plugins.json")
        await scene.expect("a")
        // More slowly than two looks follow each other.
        let text = Scene.text("b")
        try text.prefix(20).write(to: scene.file("next"))
        scene.move("next", to: "Plugins.json")
        await scene.expectFailures(1)
        #expect(scene.told.first?.issues.map(\.kind) == [.invalidJSON])
        #expect(scene.ids == ["a", "json", "words"])
        let file = try FileHandle(forWritingTo: scene.file("Plugins.json"))
        try file.seekToEnd()
        try file.write(contentsOf: text.dropFirst(20))
        await scene.expect("b")
        #expect(scene.told.count == 1)
        withExtendedLifetime(watch) {}
    }

    /// What must not be read, as `reload` does not read it.
    @Test("a pipe, a device, a folder and a file without an end are refused, and a file in their place is read")
    func noFiles() async throws {
        let scene = try Scene()
        try scene.folder.make(.pipe, "pipe")
        try scene.makeFolder("folder")
        try Data(count: ManifestText.maximumBytes * 2).write(to: scene.file("huge"))
        try scene.link("circle", to: "circle")
        try scene.link("Plugins.json", to: "pipe")
        let watch = scene.watch("Plugins.json")
        await scene.expectFailures(1)
        // Two in turn are never refused in the same words: that would not be told.
        for (number, target) in ["folder", "/dev/zero", "huge", "circle"].enumerated() {
            try scene.link("next", to: target)
            scene.move("next", to: "Plugins.json")
            await scene.expectFailures(number + 2)
        }
        let codes = scene.told.flatMap { $0.issues.map(\.kind) }
        #expect(codes == [.unreadableFile, .unreadableFile, .unreadableFile, .fileTooLarge, .unreadableFile])
        #expect(scene.told.first?.description == "Plugins.json: the file cannot be read: it is not a regular file")
        try scene.write("good", "b")
        try scene.link("next", to: "good")
        scene.move("next", to: "Plugins.json")
        await scene.expect("b")
        withExtendedLifetime(watch) {}
    }

    @Test("of many manifests each may change, and a later one lies over the earlier ones")
    func many() async throws {
        let scene = try Scene()
        let names = (0..<50).map { "folder-\($0)/Plugins.json" }
        for (number, name) in names.enumerated() {
            try scene.makeFolder("folder-\(number)")
            try scene.write(name, "first-\(number)")
        }
        let watch = Watch(scene.manager, names.map { .file(scene.file($0)) }) { _ in }
        func expect(_ changed: Int?) async {
            let order = ["first", "second"]
            let entries = (0..<50).reversed().map { (number: Int) in "\(order[number == changed ? 1 : 0])-\(number)" }
            let wanted = entries + ["json", "words"]
            while scene.ids != wanted, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            #expect(scene.ids == wanted)
        }
        await expect(nil)
        for number in [0, 31, 49] {
            try scene.write(names[number], "second-\(number)")
            await expect(number)
            try scene.write(names[number], "first-\(number)")
            await expect(nil)
        }
        withExtendedLifetime(watch) {}
    }

    @Test("an assigned registry is in force as it is, and the base of the next change")
    func assigned() async throws {
        let scene = try Scene()
        try scene.write("Plugins.json", "a")
        let watch = scene.watch("Plugins.json")
        await scene.expect("a")
        scene.manager.registry = try TestRegistry.make(#"[{ "id": "only", "factory": "json" }]"#)
        #expect(scene.ids == ["only"])
        try scene.write("Plugins.json", "b")
        while scene.ids != ["b", "only"], !Task.isCancelled { try await Task.sleep(for: .milliseconds(5)) }
        #expect(scene.ids == ["b", "only"])
        withExtendedLifetime(watch) {}
    }

    @Test("of two watches of one manager the one whose files changed last counts")
    func two() async throws {
        let scene = try Scene()
        try scene.write("one.json", "one")
        let first = scene.watch("one.json")
        await scene.expect("one")
        try scene.write("two.json", "two")
        let second = scene.watch("two.json")
        await scene.expect("two")
        try scene.write("one.json", "one-again")
        await scene.expect("one-again")
        try scene.write("two.json", "two-again")
        await scene.expect("two-again")
        second.cancel()
        try scene.write("one.json", "one")
        await scene.expect("one")
        withExtendedLifetime(first) {}
    }

    private actor Caller {
        var failures = 0
        private var watch: Task<Void, Never>?

        func watch(_ manager: SessionManager, _ file: URL) {
            watch = Task {
                await manager.watch([.file(file)], lookingEvery: pause) { result in
                    if case .failure = result { Task { await self.fail() } }
                }
            }
        }

        func fail() { failures += 1 }
        func stop() { watch?.cancel() }
    }

    @Test("an actor may watch, and is told in a turn of its own")
    func actor() async throws {
        let scene = try Scene()
        try scene.write("Plugins.json", "a")
        let caller = Caller()
        await caller.watch(scene.manager, scene.file("Plugins.json"))
        await scene.expect("a")
        try Data("{".utf8).write(to: scene.file("Plugins.json"))
        while await caller.failures == 0, !Task.isCancelled { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await caller.failures == 1)
        await caller.stop()
    }

    @Test("it works on a thread of its own, away from those of tasks")
    func thread() async throws {
        let scene = try Scene()
        let threads = Shared<[ObjectIdentifier]>([])
        let inTask = Shared(false)
        let watch = scene.watch("Plugins.json") { _ in
            threads.withLock { $0.append(ObjectIdentifier(Thread.current)) }
            if withUnsafeCurrentTask(body: { $0 != nil }) { inTask.withLock { $0 = true } }
        }
        await scene.expectFailures(1)
        try Data("{".utf8).write(to: scene.file("Plugins.json"))
        await scene.expectFailures(2)
        let found = threads.withLock { $0 }
        #expect(Set(found).count == 1)
        #expect(!inTask.withLock { $0 })
        withExtendedLifetime(watch) {}
    }

    /// Where the task of a watch is cancelled.
    enum End: String, CaseIterable, Sendable {
        case cancelled
        case cancelledInItsFailure = "cancelled in the closure that it calls"
    }

    /// Held by the closure of a watch, and so by its thread.
    private final class Mark: Sendable {}

    @Test("it ends with its task, and then its thread lets go of all", arguments: End.allCases)
    func ends(_ end: End) async throws {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "Plugins.json")
        try Scene.text("a").write(to: file)
        var manager: SessionManager? = try stubManager { _ in .json("1") }.0
        weak var weakManager: SessionManager?
        weakManager = manager
        var mark: Mark? = Mark()
        weak var weakMark: Mark?
        weakMark = mark
        let watch = Shared<Watch?>(nil)
        watch.withLock { [mark] held in
            held = manager.map { manager in
                Watch(manager, [.file(file)]) { [mark] result in
                    withExtendedLifetime(mark) {}
                    guard case .failure = result, end == .cancelledInItsFailure else { return }
                    watch.withLock { $0 }?.cancel()
                }
            }
        }
        mark = nil
        while manager?.registry.routes(host: nil).first?.id != "a", !Task.isCancelled {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(weakMark != nil)
        // The call keeps the manager.
        manager = nil
        #expect(weakManager != nil)
        switch end {
        case .cancelled: watch.withLock { $0 }?.cancel()
        case .cancelledInItsFailure: try Data("{".utf8).write(to: file)
        }
        await watch.withLock { $0 }?.ended()
        while weakMark != nil || weakManager != nil, !Task.isCancelled {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(weakMark == nil)
        #expect(weakManager == nil)
    }

    /// What holds the thread of a watch when its task is cancelled.
    enum Holder: String, CaseIterable, Sendable {
        case onChange = "the closure that is told"
        case onFailure = "the closure that is told of faults"
        case factory = "a factory"
    }

    @Test(
        "a cancelled watch returns while its thread is held, and then nothing takes effect", arguments: Holder.allCases)
    func held(_ holder: Holder) async throws {
        let (held, freed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (told, holds) = (Shared(0), Shared(false))
        let hold: @Sendable () -> Void = {
            guard holds.withLock({ $0 }) else { return }
            held.signal()
            freed.wait()
        }
        var factories = SerializerFactories()
        try factories.register("slow") {
            if holder == .factory { hold() }
            return TestRegistry.WordsSerializer()
        }
        let scene = try Scene(try TestRegistry.make().with(factories))
        try scene.write("Plugins.json", "a")
        var mark: Mark? = Mark()
        weak var weakMark: Mark?
        weakMark = mark
        var watch: Watch? = Watch(scene.manager, [.file(scene.file("Plugins.json"))]) { [mark] _ in
            told.withLock { $0 += 1 }
            if holder != .factory { hold() }
            withExtendedLifetime(mark) {}
        }
        mark = nil
        await scene.expect("a")
        while told.withLock({ $0 }) < 1, !Task.isCancelled { try await Task.sleep(for: .milliseconds(5)) }
        holds.withLock { $0 = true }
        let next = holder == .onFailure ? Data("{".utf8) : Scene.text("b", factory: "slow")
        try next.write(to: scene.file("Plugins.json"), options: .atomic)
        await Task.detached { Self.wait(for: held) }.value
        let (ids, before) = (scene.ids, told.withLock { $0 })
        #expect(ids.first == (holder == .onChange ? "b" : "a"))
        watch?.cancel()
        await watch?.ended()
        #expect(scene.ids == ids)
        holds.withLock { $0 = false }
        freed.signal()
        watch = nil
        // The thread lets go of the closure when it has done all that it will do.
        while weakMark != nil, !Task.isCancelled { try await Task.sleep(for: .milliseconds(5)) }
        #expect(scene.ids == ids)
        #expect(told.withLock { $0 } == before)
    }

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test("in a task that is cancelled already it returns, and nothing is put in force")
    func cancelledBefore() async throws {
        let scene = try Scene()
        try scene.write("Plugins.json", "a")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await scene.manager.watch([.file(scene.file("Plugins.json"))]) { _ in }
        }
        await task.value
        #expect(scene.ids == ["json", "words"])
    }

    @Test("a manifest in memory may lie under a file")
    func inMemory() async throws {
        let scene = try Scene()
        try scene.write("Plugins.json", "a")
        let own = ManifestSource.data(Scene.text("own"), name: "own")
        let watch = Watch(scene.manager, [own, .file(scene.file("Plugins.json"))]) { _ in }
        await scene.expect("a", "own")
        try scene.write("Plugins.json", "b")
        await scene.expect("b", "own")
        withExtendedLifetime(watch) {}
    }

    @Test("a relative path stays with the folder that was current")
    func relative() throws {
        let file = ManifestSource.file(URL(filePath: "Plugins.json")).absolute.file
        let current = FileManager.default.currentDirectoryPath
        #expect(file?.path == current + (current.hasSuffix("/") ? "" : "/") + "Plugins.json")
    }
}

/// The time between two looks.
private let pause = Duration.milliseconds(50)
