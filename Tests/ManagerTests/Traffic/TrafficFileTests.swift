import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("The file of the log of the traffic", .timeLimit(.minutes(5))) struct TrafficFileTests {
    private static func call(_ manager: SessionManager, _ count: Int) async throws {
        for number in 0..<count { _ = try await manager.get("a\(number)", as: Int.self) }
    }

    /// A place where no log can be, and how it becomes one.
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let spoil: @Sendable (TemporaryFolder) throws -> Void
        let mend: @Sendable (TemporaryFolder) throws -> Void

        private static func log(_ folder: TemporaryFolder) -> URL { folder.url.appending(path: TrafficFixture.name) }
        private static let remove: @Sendable (TemporaryFolder) throws -> Void = {
            try FileManager.default.removeItem(at: log($0))
        }

        /// Only root can make one.
        private static let others = Place(
            testDescription: "a file of another user",
            spoil: { folder in
                try folder.make(.file, TrafficFixture.name)
                #expect(chown(log(folder).path, 1, 1) == 0)
            }, mend: remove)

        static let all: [Place] =
            (geteuid() == 0 ? [others] : []) + [
                Place(testDescription: "a folder", spoil: { try $0.make(.folder, TrafficFixture.name) }, mend: remove),
                Place(testDescription: "a pipe", spoil: { try $0.make(.pipe, TrafficFixture.name) }, mend: remove),
                Place(testDescription: "a link", spoil: { try $0.make(.link, TrafficFixture.name) }, mend: remove),
                Place(
                    testDescription: "no folder", spoil: { try FileManager.default.removeItem(at: $0.url) },
                    mend: { try FileManager.default.createDirectory(at: $0.url, withIntermediateDirectories: true) }),
            ]
    }

    @Test("where no file can be, calls go on, and the lost lines are counted when it works again", arguments: Place.all)
    func places(_ place: Place) async throws {
        let fixture = TrafficFixture()
        let manager = try fixture.manager { _ in .json("1") }
        try place.spoil(fixture.folder)
        try await Self.call(manager, 3)
        await manager.finishObserving()
        try await Self.call(manager, 2)
        await manager.finishObserving()
        try place.mend(fixture.folder)
        try await Self.call(manager, 1)
        let lines = try await fixture.lines()
        #expect(lines.map { $0["dropped"]?.int } == [5, nil])
        #expect(lines[0].object?.map(\.key) == ["patchbay", "time", "dropped"])
        if fixture.folder.names.contains("target") {
            #expect(try String(contentsOf: fixture.folder.url.appending(path: "target"), encoding: .utf8) == "target")
        }
    }

    @Test("a URL of no file, and a device, lose the lines and nothing else")
    func noFile() async throws {
        let web = try #require(URL(string: "https://origin.test/log"))
        for url in [web, URL(filePath: "/dev/null"), URL(filePath: "/dev/full"), URL(filePath: "/")] {
            let log = TrafficLog(to: url)
            let (manager, _) = try stubManager(configuration: SessionConfiguration(observers: [log])) { _ in .json("1")
            }
            try await Self.call(manager, 2)
            await manager.finishObserving()
        }
    }

    @Test("a folder that is gone loses lines, and a file that was moved away is begun anew")
    func moved() async throws {
        let fixture = TrafficFixture()
        let manager = try fixture.manager { _ in .json("1") }
        try await Self.call(manager, 1)
        #expect(try await fixture.lines().count == 1)
        try FileManager.default.moveItem(at: fixture.url, to: fixture.folder.url.appending(path: "moved"))
        try await Self.call(manager, 2)
        #expect(try await fixture.lines().count == 2)
        try FileManager.default.removeItem(at: fixture.folder.url)
        try await Self.call(manager, 1)
        await manager.finishObserving()
        #expect(!FileManager.default.fileExists(atPath: fixture.folder.path))
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Int32
        /// How many bytes of each write fit.
        let room: Int

        static let all = [ENOSPC, EDQUOT, EIO, EFBIG].flatMap { code in
            [0, 1, 100, 1_000].map { Fault(testDescription: "\(code) after \($0) bytes", code: code, room: $0) }
        }
    }

    @Test(
        "a disk that is full keeps whole lines only, and the lost ones are counted when it works", arguments: Fault.all)
    func faults(_ fault: Fault) async throws {
        let isFull = Shared(true)
        var calls = FileCalls.system
        calls.write = { file, bytes in
            guard isFull.withLock({ $0 }) else { return FileCalls.system.write(file, bytes) }
            guard fault.room > 0 else {
                errno = fault.code
                return -1
            }
            return FileCalls.system.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(fault.room)))
        }
        let fixture = TrafficFixture(calls)
        let manager = try fixture.manager { _ in .json("1") }
        for _ in 0..<3 {
            try await Self.call(manager, 7)
            // Each line is whole.
            let lines = try await fixture.lines()
            #expect(lines.allSatisfy { $0["patchbay"] == 1 })
        }
        isFull.withLock { $0 = false }
        try await Self.call(manager, 1)
        let counts = TrafficFixture.counts(try await fixture.lines())
        #expect(counts.written + counts.dropped == 22)
        #expect(counts.dropped > 0)
    }

    @Test("a part of a line that can't be cut off does not join the next line")
    func uncut() async throws {
        let isFull = Shared(true)
        var calls = FileCalls.system
        calls.write = { file, bytes in
            let room = isFull.withLock { isFull in
                defer { isFull = false }
                return isFull ? 20 : bytes.count
            }
            return FileCalls.system.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
        }
        calls.truncate = { _, _ in
            errno = EIO
            return -1
        }
        let fixture = TrafficFixture(calls)
        let manager = try fixture.manager { _ in .json("1") }
        try await Self.call(manager, 1)
        await manager.finishObserving()
        try await Self.call(manager, 1)
        await manager.finishObserving()
        let text = try String(contentsOf: fixture.url, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4)
        #expect(lines[0].utf8.count == 20)
        #expect(try JSON(parsing: Data(lines[1].utf8))["dropped"] == 1)
        #expect(try JSON(parsing: Data(lines[2].utf8))["status"] == 200)
    }

    @Test("a file that ends without a line break gets one first, and keeps its mode")
    func unfinished() async throws {
        let fixture = TrafficFixture()
        try fixture.folder.write("{\"patchbay\":1,\"ti", to: TrafficFixture.name)
        let mode = fixture.folder.mode(of: TrafficFixture.name)
        let manager = try fixture.manager { _ in .json("1") }
        try await Self.call(manager, 1)
        await manager.finishObserving()
        let lines = try String(contentsOf: fixture.url, encoding: .utf8).split(separator: "\n")
        #expect(lines.first == "{\"patchbay\":1,\"ti")
        #expect(lines.count == 2)
        #expect(fixture.folder.mode(of: TrafficFixture.name) == mode)
    }

    @Test("a full file is renamed and replaces the last one; no file is larger, and no line is in two")
    func rotation() async throws {
        let fixture = TrafficFixture(maximumBytes: 2_000)
        let manager = try fixture.manager { _ in .json("1") }
        var sizes: [Int] = []
        for _ in 0..<30 {
            try await Self.call(manager, 1)
            let lines = try await fixture.lines()
            #expect(!lines.isEmpty)
            sizes.append(try Data(contentsOf: fixture.url).count)
        }
        #expect(sizes.max().map { $0 <= 2_000 } == true)
        #expect(fixture.folder.names == [TrafficFixture.name, TrafficFixture.name + ".1"])
        #expect(try Data(contentsOf: fixture.folder.url.appending(path: TrafficFixture.name + ".1")).count <= 2_000)
        #expect(fixture.folder.mode(of: TrafficFixture.name) == 0o600)
        // A batch that is larger than a file.
        try await Self.call(manager, 40)
        let (last, now) = (try await fixture.lines(TrafficFixture.name + ".1"), try await fixture.lines())
        #expect(TrafficFixture.counts(last + now).dropped == 0)
        #expect(now.last?["url"] == "http://origin.test/a39")
        #expect(last.last?["url"]?.string != now.first?["url"]?.string)
    }

    @Test("a line that is larger than a file has a file of its own")
    func smallest() async throws {
        let fixture = TrafficFixture(maximumBytes: 0)
        let manager = try fixture.manager { _ in .json("1") }
        try await Self.call(manager, 3)
        #expect(try await fixture.lines().map { $0["url"]?.string } == ["http://origin.test/a2"])
        #expect(
            try await fixture.lines(TrafficFixture.name + ".1").map { $0["url"]?.string } == ["http://origin.test/a1"])
    }

    @Test("a full file that can't be renamed loses lines, and does not grow")
    func unrenamed() async throws {
        let isHeld = Shared(true)
        var calls = FileCalls.system
        calls.rename = { folder, from, to in
            guard isHeld.withLock({ $0 }) else { return FileCalls.system.rename(folder, from, to) }
            errno = EACCES
            return -1
        }
        let fixture = TrafficFixture(maximumBytes: 1_000, calls)
        let manager = try fixture.manager { _ in .json("1") }
        try await Self.call(manager, 20)
        _ = try await fixture.lines()
        #expect(try Data(contentsOf: fixture.url).count <= 1_000)
        isHeld.withLock { $0 = false }
        await manager.finishObserving()
        let old = try? TrafficFixture.lines(fixture.folder.url.appending(path: TrafficFixture.name + ".1"))
        let counts = TrafficFixture.counts(try await fixture.lines() + (old ?? []))
        #expect(counts.written + counts.dropped == 20)
        #expect(counts.dropped > 10)
    }

    @Test(
        "two logs that append to one file at once leave whole lines only, also while it is renamed",
        arguments: [1 << 20, 5_000])
    func together(_ maximumBytes: Int) async throws {
        let folder = TemporaryFolder()
        let url = folder.url.appending(path: "log")
        let logs = (0..<4).map { _ in TrafficLog(to: url, maximumBytes: maximumBytes) }
        let managers = try logs.map { log in
            try stubManager(configuration: SessionConfiguration(observers: [log])) { _ in .json("1") }.0
        }
        await withTaskGroup(of: Void.self) { group in
            for manager in managers {
                group.addTask {
                    for _ in 0..<20 {
                        try? await Self.call(manager, 10)
                        await manager.finishObserving()
                    }
                }
            }
        }
        let lines = try TrafficFixture.lines(url)
        if maximumBytes > 5_000 { #expect(TrafficFixture.counts(lines) == (800, 0)) }
        #expect(lines.allSatisfy { $0["patchbay"] == 1 })
        if maximumBytes == 5_000 {
            let last = try TrafficFixture.lines(folder.url.appending(path: "log.1"))
            #expect(TrafficFixture.counts(last + lines).dropped == 0)
            #expect(last.count > 5)
        }
    }
}
