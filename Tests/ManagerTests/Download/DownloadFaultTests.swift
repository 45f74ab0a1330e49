import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// What others do to the files of a download, and what goes wrong with them.
@Suite(.timeLimit(.minutes(5))) struct DownloadFaultTests {
    private let folder = TemporaryFolder()
    private let request = SessionRequest("file")
    private var url: URL { folder.url.appending(path: "in/x") }

    /// A manager that serves `new`, and does something while the file is put on disk: all is written, nothing has its name.
    private func manager(
        _ reply: StubReply = StubReply(body: "new"), whileWriting act: @escaping @Sendable () -> Void = {}
    ) throws -> SessionManager {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "in"), withIntermediateDirectories: false)
        var configuration = SessionConfiguration()
        configuration.fileCalls.sync = { file in
            act()
            return FileCalls.system.sync(file)
        }
        return try stubManager(configuration: configuration) { _ in reply }.0
    }

    @Test("a folder that is swapped for a link to another has no effect: the file goes where it was to go")
    func swappedFolder() async throws {
        let base = folder.url
        try FileManager.default.createDirectory(at: base.appending(path: "trap"), withIntermediateDirectories: false)
        let manager = try manager {
            try? FileManager.default.moveItem(at: base.appending(path: "in"), to: base.appending(path: "moved"))
            try? FileManager.default.createSymbolicLink(
                at: base.appending(path: "in"), withDestinationURL: base.appending(path: "trap"))
        }
        _ = try await manager.download(request, to: .file(url))
        #expect(folder.names == ["in", "moved", "trap"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.appending(path: "trap").path) == [])
        #expect(try Data(contentsOf: base.appending(path: "moved/x")) == Data("new".utf8))
    }

    @Test(
        "what takes the name during the transfer stays as it is, and what may be replaced is, but not what a link leads to",
        arguments: [TemporaryFolder.Kind.file, .folder, .link, .pipe], [true, false])
    func takenMeanwhile(_ kind: TemporaryFolder.Kind, replaces: Bool) async throws {
        let folder = folder
        let manager = try manager { try? folder.make(kind, "in/x") }
        let plain = DownloadDestination.file(url)
        do throws(SessionError) {
            _ = try await manager.download(request, to: replaces ? plain.replacingFile() : plain)
            #expect(replaces && kind != .folder)
            #expect(FileManager.default.contents(atPath: url.path) == Data("new".utf8))
        } catch {
            #expect(!replaces || kind == .folder)
            #expect(error.code == .file)
            #expect((error.cause as? POSIXError)?.code == (replaces ? .EISDIR : .EEXIST))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "in").path) == ["x"])
        if kind == .link {
            #expect(try Data(contentsOf: folder.url.appending(path: "target")) == Data("target".utf8))
        }
    }

    /// What somebody does to the `.part` file of a transfer.
    enum Swap: CaseIterable {
        case removed, replaced, movedAway, linked

        func act(in folder: URL) throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            guard let name = names.first(where: { $0.hasSuffix(".part") }) else { return }
            let part = folder.appending(path: name)
            switch self {
            case .removed: try FileManager.default.removeItem(at: part)
            case .replaced: try Data("another's".utf8).write(to: part, options: .atomic)
            case .movedAway:
                try FileManager.default.moveItem(at: part, to: folder.appending(path: "away"))
                try Data("another's".utf8).write(to: part)
            case .linked:
                try Data("another's".utf8).write(to: folder.appending(path: "another"))
                try FileManager.default.removeItem(at: part)
                try FileManager.default.createSymbolicLink(
                    at: part, withDestinationURL: folder.appending(path: "another"))
            }
        }
    }

    @Test(
        "a part that somebody takes away or replaces does not become the file: what was written does, or nothing",
        arguments: Swap.allCases, [true, false])
    func swappedPart(_ swap: Swap, replaces: Bool) async throws {
        let inner = folder.url.appending(path: "in")
        let manager = try manager { try? swap.act(in: inner) }
        let plain = DownloadDestination.file(url)
        do throws(SessionError) {
            _ = try await manager.download(request, to: replaces ? plain.replacingFile() : plain)
            // What was moved away can still be linked to.
            #expect(swap == .movedAway && !replaces)
            #expect(FileManager.default.contents(atPath: url.path) == Data("new".utf8))
        } catch {
            #expect(
                error.description
                    == "GET origin.test/file: x cannot be written: its .part file was removed or replaced by another")
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
        // Another's file is not ours to remove.
        let names = try FileManager.default.contentsOfDirectory(atPath: inner.path)
        #expect(names.contains { $0.hasSuffix(".part") } == (swap != .removed))
    }

    @Test("a part that somebody writes to becomes no file", arguments: [true, false])
    func writtenPart(replaces: Bool) async throws {
        let inner = folder.url.appending(path: "in")
        let manager = try manager {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: inner.path)) ?? []
            guard let name = names.first(where: { $0.hasSuffix(".part") }),
                let part = FileHandle(forWritingAtPath: inner.appending(path: name).path)
            else { return }
            part.seekToEndOfFile()
            part.write(Data("another's".utf8))
            try? part.close()
        }
        let place = DownloadDestination.file(url)
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: replaces ? place.replacingFile() : place)
        }
        #expect(
            error?.description == "GET origin.test/file: x cannot be written: its .part file was written to by another")
        #expect(try FileManager.default.contentsOfDirectory(atPath: inner.path) == [])
    }

    /// Links and renames that work, but not to a name.
    private static func givingNothing(_ name: String) -> FileCalls {
        var calls = FileCalls.system
        calls.link = { file, folder, new in
            guard new == name else { return FileCalls.system.link(file, folder, new) }
            errno = EACCES
            return -1
        }
        calls.renameToFree = { folder, from, to in
            guard to == name else { return FileCalls.system.renameToFree(folder, from, to) }
            errno = EACCES
            return -1
        }
        return calls
    }

    @Test("1.5.20: a file that cannot get its name is an error of the call, and of no notification alone")
    func noName() async throws {
        var configuration = SessionConfiguration()
        configuration.fileCalls = Self.givingNothing("x")
        let (manager, _) = try stubManager(configuration: configuration) { _ in StubReply(body: "new") }
        // The call's own destination is the only one there is.
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .file(folder.url.appending(path: "x")))
        }
        #expect(error?.code == .file)
        #expect(error?.description == "GET origin.test/file: x cannot be written: Permission denied")
        #expect(error?.head?.status == 200)
        #expect(folder.names == [])
    }

    @Test(
        "1.4.8: a file that cannot be read again is an error that says why, and nothing is left of it",
        arguments: [
            (-1, "Input/output error", Int32?.some(EIO)), (0, "it is shorter than what was written to it", nil),
        ])
    func unreadable(_ result: Int, _ reason: String, _ code: Int32?) async throws {
        var configuration = SessionConfiguration()
        configuration.fileCalls.read = { _, _, _ in
            errno = EIO
            return result
        }
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("[1]") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.savedValue(of: request, to: .file(folder.url.appending(path: "x")), as: [Int].self)
        }
        #expect(error?.code == .file)
        #expect(error?.description == "GET origin.test/file: x cannot be read: \(reason)")
        #expect((error?.cause as? POSIXError)?.code.rawValue == code)
        #expect((error?.cause == nil) == (code == nil))
        #expect(folder.names == [])
    }

    @Test("1.4.8: what is serialized is what was written, whatever has become of the name by then")
    func goneWhenRead() async throws {
        let base = folder.url
        var configuration = SessionConfiguration()
        configuration.fileCalls.read = { file, buffer, offset in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: base.path)) ?? []
            for name in names {
                try? FileManager.default.moveItem(at: base.appending(path: name), to: base.appending(path: "away"))
                try? Data("[9]".utf8).write(to: base.appending(path: name))
            }
            return FileCalls.system.read(file, buffer, offset)
        }
        let body = "[" + String(repeating: "1,", count: 100) + "1]"
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json(body) }
        let reply = try await manager.savedValue(of: request, to: .file(base.appending(path: "x")), as: [Int].self)
        #expect(reply.value.value.count == 101)
    }

    /// Tries again, once, what no serializer could read.
    private func retrying(_ act: @escaping @Sendable () -> Void = {}) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor(retry: { _, error in
                guard error.code == .serialization, error.retries == 0 else { return .doNotRetry }
                act()
                return .retry
            })
        ]
        return configuration
    }

    @Test("a call that is tried again after its serializer failed replaces its own file", arguments: ["[2]", "{ bad"])
    func triedAgain(_ second: String) async throws {
        let isFirst = Guarded(true)
        let (manager, stub) = try stubManager(configuration: retrying()) { _ in
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return .json(first ? "{ not JSON" : second)
        }
        let url = folder.url.appending(path: "x")
        do {
            let reply = try await manager.savedValue(of: request, to: .file(url), as: [Int].self)
            #expect(reply.value.value == [2])
        } catch {
            #expect(error.code == .serialization)
            #expect(second == "{ bad")
        }
        #expect(stub.requests.count == 2)
        #expect(try Data(contentsOf: url) == Data(second.utf8))
        #expect(folder.names == ["x"])
    }

    @Test("a file that has come in the place of the call's own is not replaced by another try")
    func anothersFile() async throws {
        let url = folder.url.appending(path: "x")
        let configuration = retrying { try? Data("another's".utf8).write(to: url, options: .atomic) }
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("{ not JSON") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.savedValue(of: request, to: .file(url), as: [Int].self)
        }
        let sentence = "GET origin.test/file: x cannot be written: File exists; replacingFile() replaces it"
        #expect(error?.description == sentence)
        #expect(try Data(contentsOf: url) == Data("another's".utf8))
        #expect(folder.names == ["x"])
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"))
    func `a full disk is an error that says so`() async throws {
        var configuration = SessionConfiguration()
        configuration.fileCalls.write = { _, bytes in
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            return FileCalls.system.write(full, bytes)
        }
        let (manager, _) = try stubManager(configuration: configuration) { _ in StubReply(body: "new") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.download("file", to: .folder(folder.url)).value
        }
        #expect((error?.cause as? POSIXError)?.code == .ENOSPC)
        #expect(folder.names == [])
    }

    @Test("a resumable download that found the disk full goes on when there is room")
    func roomAgain() async throws {
        let origin = ResumableOrigin(RangedFile(bytes: 120_000))
        origin.change { reply in
            let body = reply.chunks.reduce(Data(), +)
            reply.chunks = stride(from: 0, to: body.count, by: 40_000).map { body[$0..<min($0 + 40_000, body.count)] }
        }
        let writes = Guarded(0)
        var configuration = SessionConfiguration()
        configuration.fileCalls.write = { file, bytes in
            let number = writes.withLock { writes in
                writes += 1
                return writes
            }
            guard number > 1 else { return FileCalls.system.write(file, bytes) }
            errno = ENOSPC
            return -1
        }
        let (error, resumption) = try await origin.begin(manager: origin.manager(configuration: configuration))
        #expect(error.description == "GET origin.test/file: x cannot be written: No space left on device")
        #expect(resumption.bytes == 40_000)
        _ = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("a complete file that did not get its name is resumed by its last byte")
    func completeWithoutName() async throws {
        let origin = ResumableOrigin(RangedFile(bytes: 3_000))
        var configuration = SessionConfiguration()
        configuration.fileCalls = Self.givingNothing("x")
        let (_, resumption) = try await origin.begin(manager: origin.manager(configuration: configuration))
        #expect(resumption.bytes == 3_000)
        _ = try await origin.manager().download(request, to: .rest(of: resumption))
        #expect(origin.requests.last?.fields["Range"] == "bytes=2999-")
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }
}
