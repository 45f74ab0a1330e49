import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Each call to the system fails in turn, in every run one later, until a run has no call left to fail.
@Suite(.timeLimit(.minutes(5))) struct DownloadTortureTests {
    /// Whether a file of the name is replaced, and what the file system can do; then the calls that are made, in turn: those that
    /// a download survives the failure of, with a mark.
    struct Way: Sendable, CustomTestStringConvertible {
        let replaces: Bool
        let links: Bool
        let calls: [String]
        var testDescription: String { "\(replaces ? "replacing" : "new"), \(links ? "links" : "no links")" }

        static let all = [
            Way(
                replaces: true, links: true,
                calls: ["create", "lock?", "write", "write", "write", "sync", "setMode", "rename"]),
            Way(
                replaces: false, links: true,
                calls: ["create", "lock?", "link?", "write", "write", "write", "sync", "setMode", "link?"]),
            Way(
                replaces: false, links: false,
                calls: [
                    "create", "lock?", "renameToFree", "write", "write", "write", "sync", "setMode", "renameToFree",
                ]),
        ]

        /// Too large for two of them to be written together.
        static let chunk = Data(repeating: 0x61, count: 40_000)

        func download(to folder: TemporaryFolder, with calls: FileCalls) async throws {
            var configuration = SessionConfiguration()
            configuration.fileCalls = calls
            configuration.fileCalls.plainMode = { _, _ in 0o640 }
            if !links {
                configuration.fileCalls.link = { _, _, _ in
                    errno = EPERM
                    return -1
                }
            }
            let (manager, _) = try stubManager(configuration: configuration) { _ in
                StubReply(chunks: (0..<3).map { _ in Self.chunk })
            }
            let plain = DownloadDestination.file(folder.url.appending(path: "x"))
            _ = try await manager.download(SessionRequest("a"), to: replaces ? plain.replacingFile() : plain)
        }
    }

    @Test(
        "whatever call fails, nothing has the final name, no part is left, and the error names the cause",
        arguments: Way.all)
    func everyCall(_ way: Way) async throws {
        var failed: [String] = []
        for number in 1...100 {
            let folder = TemporaryFolder()
            let saboteur = Saboteur(failing: number)
            do {
                try await way.download(to: folder, with: saboteur.calls)
                #expect(folder.names == ["x"])
                #expect(folder.mode(of: "x") == 0o640)
                guard let survived = saboteur.failed else { break }
                failed.append(survived + "?")
            } catch let error as SessionError {
                failed.append(try #require(saboteur.failed))
                #expect(error.code == .file)
                #expect((error.cause as? POSIXError)?.code == .ENOSPC)
                #expect(error.description == "GET origin.test/a: x cannot be written: No space left on device")
                #expect(folder.names == [])
            }
        }
        #expect(failed == way.calls)
    }

    @Test(
        "wherever the process ends, the name has nothing or the whole file, and a download days later leaves no more than that",
        arguments: Way.all)
    func everyEnd(_ way: Way) async throws {
        var ends = 0
        for number in 1...100 {
            let folder = TemporaryFolder()
            if way.replaces { try folder.make(.file, "x") }
            let killer = Saboteur(failing: number, forGood: true)
            _ = try? await way.download(to: folder, with: killer.calls)
            guard killer.failed != nil else { break }
            ends += 1
            let content = FileManager.default.contents(atPath: folder.url.appending(path: "x").path)
            if content?.count == 3 * Way.chunk.count {
                #expect(folder.mode(of: "x") == 0o640)
            } else {
                #expect(content == (way.replaces ? Data("old".utf8) : nil))
            }
            for name in folder.names where name != "x" { folder.age(name) }
            let next = Way(replaces: true, links: way.links, calls: [])
            try await next.download(to: folder, with: .system)
            #expect(folder.names == ["x"])
            let file = FileManager.default.contents(atPath: folder.url.appending(path: "x").path)
            #expect(file?.count == 3 * Way.chunk.count)
        }
        #expect(ends >= way.calls.count)
    }

    /// A download of which 600 of 1,000 bytes are there, and a manager that goes on with it.
    private func begun(_ calls: FileCalls) async throws -> (ResumableOrigin, DownloadResumption, SessionManager) {
        let origin = ResumableOrigin(
            RangedFile(
                String(repeating: "word ", count: 200).utf8, version: ["ETag": "\"v1\"", "Content-Type": "text/words"]),
            cuts: [600], saysLength: false)
        let registry = try TestRegistry.make(
            #"[{ "id": "words", "factory": "words", "match": { "types": ["text/words"] } }]"#)
        let (_, resumption) = try await origin.begin()
        var configuration = SessionConfiguration()
        configuration.fileCalls = calls
        return (origin, resumption, try origin.manager(registry, configuration: configuration))
    }

    private let request = SessionRequest("file")

    @Test("whatever call fails while a download is resumed, its part is gone on with later, or gone")
    func everyCallOfAResumption() async throws {
        var failed: [String] = []
        for number in 1...100 {
            let saboteur = Saboteur(failing: number)
            let (origin, resumption, manager) = try await begun(saboteur.calls)
            do {
                _ = try await manager.savedValue(of: request, to: .rest(of: resumption), as: String.self)
                #expect(origin.folder.names == ["x"])
                guard let survived = saboteur.failed else { break }
                failed.append(survived + "?")
            } catch {
                failed.append(try #require(saboteur.failed))
                #expect(error.code == .file)
                #expect((error.cause as? POSIXError)?.code == .ENOSPC)
                // What the system could not put on disk may be anything.
                #expect((error.resumption == nil) == (saboteur.failed == "sync"))
                guard let next = error.resumption else {
                    #expect(origin.folder.names == [])
                    continue
                }
                #expect(origin.folder.names == [next.part.lastPathComponent])
                #expect(origin.folder.mode(of: next.part.lastPathComponent) == 0o600)
                _ = try await origin.manager().download(request, to: .rest(of: next))
                #expect(try Data(contentsOf: origin.url) == origin.body)
            }
        }
        #expect(
            failed == ["open", "lock?", "rename?", "truncate", "write", "read", "sync", "setMode", "link?"])
    }

    @Test(
        "wherever the process ends while a download is resumed, its part is as it was, or removed by a download days later"
    )
    func everyEndOfAResumption() async throws {
        var ends = 0
        for number in 1...100 {
            let killer = Saboteur(failing: number, forGood: true)
            let (origin, resumption, manager) = try await begun(killer.calls)
            _ = try? await manager.savedValue(of: request, to: .rest(of: resumption), as: String.self)
            guard killer.failed != nil else { break }
            ends += 1
            let part = resumption.part.lastPathComponent
            for name in origin.folder.names where name != part && name != "x" { origin.folder.age(name) }
            let other = try stubManager { _ in StubReply(body: "new") }.0
            _ = try await other.download(SessionRequest("a"), to: .file(origin.url).replacingFile())
            guard origin.folder.names.contains(part) else {
                #expect(origin.folder.names == ["x"])
                continue
            }
            #expect(Set(origin.folder.names) == [part, "x"])
            try FileManager.default.removeItem(at: origin.url)
            _ = try await origin.manager().download(request, to: .rest(of: resumption))
            #expect(try Data(contentsOf: origin.url) == origin.body)
        }
        #expect(ends >= 10)
    }

    @Test("a write that is interrupted or short goes on, and one that writes nothing is an error")
    func writes() async throws {
        for (result, passes) in [(-1, true), (1, true), (0, false)] {
            let folder = TemporaryFolder()
            var configuration = SessionConfiguration()
            let isFirst = Guarded(true)
            let system = FileCalls.system
            configuration.fileCalls.write = { file, bytes in
                let first = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                guard first else { return system.write(file, bytes) }
                errno = EINTR
                return result == 1 ? system.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(1))) : result
            }
            let (manager, _) = try stubManager(configuration: configuration) { _ in StubReply(body: "abc") }
            let url = folder.url.appending(path: "x")
            if passes {
                #expect(try await manager.download("a", to: .file(url)).value == url)
                #expect(try Data(contentsOf: url) == Data("abc".utf8))
            } else {
                await #expect(throws: SessionError.self) { try await manager.download("a", to: .file(url)).value }
                #expect(folder.names.isEmpty)
            }
        }
    }
}

/// System calls of which the n-th fails, as on a full disk; or all from there on, as of a process that is no more.
private final class Saboteur: Sendable {
    private let state: Guarded<(left: Int, failed: String?)>
    private let isForGood: Bool

    init(failing number: Int, forGood: Bool = false) {
        state = Guarded((number, nil))
        isForGood = forGood
    }

    /// The name of the call that failed.
    var failed: String? { state.withLock(\.failed) }

    var calls: FileCalls {
        let system = FileCalls.system
        return FileCalls(
            create: { self.fails("create") ? -1 : system.create($0, $1) },
            open: { self.fails("open") ? -1 : system.open($0, $1) },
            lock: { self.fails("lock") ? -1 : system.lock($0) },
            read: { self.fails("read") ? -1 : system.read($0, $1, $2) },
            write: { self.fails("write") ? -1 : system.write($0, $1) },
            truncate: { self.fails("truncate") ? -1 : system.truncate($0, $1) },
            sync: { self.fails("sync") ? -1 : system.sync($0) },
            plainMode: { _, _ in 0o640 },
            setMode: { self.fails("setMode") ? -1 : system.setMode($0, $1) },
            link: { self.fails("link") ? -1 : system.link($0, $1, $2) },
            rename: { self.fails("rename") ? -1 : system.rename($0, $1, $2) },
            renameToFree: { self.fails("renameToFree") ? -1 : system.renameToFree($0, $1, $2) },
            // What cannot be removed is left; only an end is to leave it.
            remove: { self.isForGood && self.fails("remove") ? -1 : system.remove($0, $1) })
    }

    private func fails(_ name: String) -> Bool {
        let isTurn = state.withLock { state in
            state.left -= 1
            guard state.left == 0 || (isForGood && state.left < 0) else { return false }
            if state.failed == nil { state.failed = name }
            return true
        }
        if isTurn { errno = ENOSPC }
        return isTurn
    }
}
