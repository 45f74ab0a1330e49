import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// The `.part` files of processes that are no more, and those that only look like them.
@Suite(.timeLimit(.minutes(5))) struct AbandonedPartTests {
    private let folder = TemporaryFolder()

    private func manager(whileWriting act: @escaping @Sendable () -> Void = {}) throws -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.fileCalls.sync = { file in
            act()
            return FileCalls.system.sync(file)
        }
        return try stubManager(configuration: configuration) { _ in StubReply(body: "new") }.0
    }

    private func download(
        _ name: String, whileWriting act: @escaping @Sendable () -> Void = {}
    ) async throws {
        let place = DownloadDestination.file(folder.url.appending(path: name)).replacingFile()
        _ = try await manager(whileWriting: act).download(SessionRequest("a"), to: place)
    }

    /// The name of a part, with another digit.
    private static func sibling(_ part: String) -> String {
        var digits = Array(part)
        digits[digits.count - 6] = digits[digits.count - 6] == "z" ? "y" : "z"
        return String(digits)
    }

    /// Leaves a part of a file, as a process does that was killed days ago.
    private func leavePart(of name: String) async throws -> String {
        let folder = folder
        let left = Guarded<String?>(nil)
        try await download(name) {
            guard let part = folder.names.first(where: { $0.hasSuffix(".part") }) else { return }
            left.withLock { $0 = Self.sibling(part) }
            try? FileManager.default.copyItem(
                at: folder.url.appending(path: part), to: folder.url.appending(path: Self.sibling(part)))
            folder.age(Self.sibling(part))
        }
        try FileManager.default.removeItem(at: folder.url.appending(path: name))
        return try #require(left.withLock { $0 })
    }

    private static let names = ["x", "a long name.tar.gz", String(repeating: "\u{20AC}", count: 80), "\u{301}x"]

    @Test("a part that its process left a day ago is removed by the next download to that name", arguments: names)
    func removed(_ name: String) async throws {
        let part = try await leavePart(of: name)
        #expect(folder.names == [part])
        try await download(name)
        #expect(folder.names.map { Array($0.utf8) } == [Array(name.utf8)])
    }

    @Test("it is removed by a download that fails since the name is taken, too")
    func removedWithoutSuccess() async throws {
        let part = try await leavePart(of: "x")
        try folder.make(.file, "x")
        #expect(folder.names == [part, "x"])
        await #expect(throws: SessionError.self) {
            try await manager().download("a", to: .file(folder.url.appending(path: "x"))).value
        }
        #expect(folder.names == ["x"])
    }

    @Test("a younger part is left alone, and the download beside it ends with a whole file", arguments: names)
    func younger(_ name: String) async throws {
        let part = try await leavePart(of: name)
        let path = folder.url.appending(path: part).path
        try FileManager.default.setAttributes([.modificationDate: Date() - 86_000], ofItemAtPath: path)
        try await download(name)
        #expect(Set(folder.names.map { Array($0.utf8) }) == [Array(part.utf8), Array(name.utf8)])
        #expect(try Data(contentsOf: folder.url.appending(path: name)) == Data("new".utf8))
        try FileManager.default.setAttributes([.modificationDate: Date() - 86_500], ofItemAtPath: path)
        try await download(name)
        #expect(folder.names.map { Array($0.utf8) } == [Array(name.utf8)])
    }

    @Test("a part that another task writes is left alone however old it is, and becomes its file")
    func writtenHere() async throws {
        let url = folder.url.appending(path: "x")
        var first = try PartialFile(url, .file(url), .system)
        let names = folder.names
        for name in names { folder.age(name) }
        try await download("x")
        #expect(folder.names == names + ["x"])
        try FileManager.default.removeItem(at: url)
        #expect("first".utf8.withContiguousStorageIfAvailable { first.append(UnsafeRawBufferPointer($0)) } == true)
        try first.finish(unless: { false })
        #expect(try Data(contentsOf: url) == Data("first".utf8))
        #expect(folder.names == ["x"])
    }

    @Test("a part that somebody else has locked is left alone")
    func locked() async throws {
        let part = try await leavePart(of: "x")
        let file = open(folder.url.appending(path: part).path, O_RDWR | O_CLOEXEC)
        defer { close(file) }
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        try await download("x")
        #expect(folder.names == [part, "x"])
    }

    @Test("a part that a resumable download kept is left alone, until it is given up")
    func kept() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        let other = try stubManager { _ in StubReply(body: "new") }.0
        _ = try await other.download(SessionRequest("a"), to: .file(origin.url))
        #expect(origin.folder.names.sorted() == [resumption.part.lastPathComponent, "x"].sorted())
        try FileManager.default.removeItem(at: origin.url)
        _ = try await origin.manager().download(SessionRequest("file"), to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.folder.names == ["x"])
    }

    @Test(
        "what is not a plain file with a part's name of that very file is left alone",
        arguments: [
            "x.part", ".x.part", ".x.1a2b3c4d5e6f7.part", "x.patchbay-1a2b3c4d5e6f7.part",
            ".x.patchbay-1a2b3c4d5e6f.part", ".x.patchbay-1a2b3c4d5e6f78.part", ".x.patchbay-1A2b3c4d5e6f7.part",
            ".x.patchbay-1a2b3c4d5e6f7.part~", ".y.patchbay-1a2b3c4d5e6f7.part", ".xx.patchbay-1a2b3c4d5e6f7.part",
            ".x.x.patchbay-1a2b3c4d5e6f7.part", ".x.patchbay-1a2b3c4d5e6f7.resumable.part",
        ])
    func others(_ name: String) async throws {
        try folder.make(.file, name)
        folder.age(name)
        try await download("x")
        #expect(Set(folder.names) == [name, "x"])
    }

    @Test(
        "another kind of thing with a part's name is left alone, and so is what a link leads to",
        arguments: [TemporaryFolder.Kind.folder, .link, .pipe])
    func kinds(_ kind: TemporaryFolder.Kind) async throws {
        let part = try await leavePart(of: "x")
        try FileManager.default.removeItem(at: folder.url.appending(path: part))
        try folder.make(kind, part)
        folder.age(part)
        let names = folder.names
        try await download("x")
        #expect(Set(folder.names) == Set(names + ["x"]))
    }
}
