import Foundation
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Each call to the system fails in turn, in every run one later, until a run has no call left to fail.
@Suite(.timeLimit(.minutes(5))) struct DownloadTortureTests {
    @Test(
        "whatever call fails, nothing has the final name, no part is left, and the error names the cause",
        arguments: [true, false])
    func everyCall(replaces: Bool) async throws {
        var failed: [String] = []
        for number in 1... {
            let folder = TemporaryFolder()
            let saboteur = Saboteur(failing: number)
            var configuration = SessionConfiguration()
            configuration.fileCalls = saboteur.calls
            let (manager, _) = try stubManager(configuration: configuration) { _ in
                StubReply(chunks: (0..<3).map { _ in Data("abc".utf8) })
            }
            let plain = DownloadDestination.file(folder.url.appending(path: "x"))
            let destination = replaces ? plain.replacingFile() : plain
            do {
                _ = try await manager.download(HTTPRequest("GET", "a"), to: destination)
                #expect(folder.names == ["x"])
                #expect(saboteur.failed == nil)
                break
            } catch {
                failed.append(try #require(saboteur.failed))
                #expect(error.code == .file)
                #expect((error.cause as? FileFailure)?.systemCode == ENOSPC)
                #expect(error.description == "GET origin.test/a: x cannot be written: No space left on device")
                #expect(folder.names == [])
            }
        }
        #expect(failed == ["create", "write", "write", "write", "sync", "rename"])
    }

    @Test("whatever call fails while a download is resumed, its part is gone on with later, or gone")
    func everyCallOfAResumption() async throws {
        var failed: [String] = []
        for number in 1... {
            let origin = ResumableOrigin(
                RangedFile(
                    String(repeating: "word ", count: 200).utf8,
                    version: ["ETag": "\"v1\"", "Content-Type": "text/words"]), cuts: [600],
                saysLength: false)
            let request = HTTPRequest("GET", "file")
            let registry = try TestRegistry.make(
                #"[{ "id": "words", "factory": "words", "match": { "types": ["text/words"] } }]"#)
            let (_, resumption) = try await origin.begin()
            let saboteur = Saboteur(failing: number)
            var configuration = SessionConfiguration()
            configuration.fileCalls = saboteur.calls
            let manager = try origin.manager(registry, configuration: configuration)
            do {
                _ = try await manager.download(request, resuming: resumption, as: String.self)
                #expect(saboteur.failed == nil)
                break
            } catch {
                failed.append(try #require(saboteur.failed))
                #expect(error.code == .file)
                #expect((error.cause as? FileFailure)?.systemCode == ENOSPC)
                // What the system could not put on disk may be anything.
                #expect((error.resumption == nil) == (saboteur.failed == "sync"))
                guard let next = error.resumption else {
                    #expect(origin.folder.names == [])
                    continue
                }
                #expect(origin.folder.names == [next.part.lastPathComponent])
                _ = try await origin.manager().download(request, resuming: next)
                #expect(try Data(contentsOf: origin.url) == origin.body)
            }
        }
        #expect(failed == ["open", "truncate", "write", "read", "sync", "rename"])
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
                #expect(try await manager.download("a", to: url) == url)
                #expect(try Data(contentsOf: url) == Data("abc".utf8))
            } else {
                await #expect(throws: SessionError.self) { try await manager.download("a", to: url) }
                #expect(folder.names.isEmpty)
            }
        }
    }
}

/// System calls of which the n-th fails, as on a full disk.
private final class Saboteur: Sendable {
    private let state: Guarded<(left: Int, failed: String?)>

    init(failing number: Int) { state = Guarded((number, nil)) }

    /// The name of the call that failed.
    var failed: String? { state.withLock(\.failed) }

    var calls: FileCalls {
        let system = FileCalls.system
        return FileCalls(
            create: { self.fails("create") ? -1 : system.create($0, $1) },
            open: { self.fails("open") ? -1 : system.open($0, $1) },
            read: { self.fails("read") ? -1 : system.read($0, $1, $2) },
            write: { self.fails("write") ? -1 : system.write($0, $1) },
            truncate: { self.fails("truncate") ? -1 : system.truncate($0, $1) },
            sync: { self.fails("sync") ? -1 : system.sync($0) },
            rename: { self.fails("rename") ? -1 : system.rename($0, $1, $2, $3) },
            remove: system.remove)
    }

    private func fails(_ name: String) -> Bool {
        let isTurn = state.withLock { state in
            state.left -= 1
            guard state.left == 0 else { return false }
            state.failed = name
            return true
        }
        if isTurn { errno = ENOSPC }
        return isTurn
    }
}
