import Foundation
import PatchbayRegistry
import Testing

@testable import PatchbayManager

/// Each call to the system fails in turn, in every run one later, until a run has no call left to fail.
@Suite(.timeLimit(.minutes(1))) struct DownloadTortureTests {
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
                #expect(error.description == "GET origin.test: x cannot be written: No space left on device")
                #expect(folder.names == [])
            }
        }
        #expect(failed == ["create", "write", "write", "write", "sync", "rename"])
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
            write: { self.fails("write") ? -1 : system.write($0, $1) },
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
