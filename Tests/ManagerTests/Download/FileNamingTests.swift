import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// How a finished file gets its name and its mode, on file systems that can more and less.
@Suite(.timeLimit(.minutes(5))) struct FileNamingTests {
    private let folder = TemporaryFolder()
    private let request = SessionRequest("a")
    private var url: URL { folder.url.appending(path: "x") }

    private func manager(_ change: (inout FileCalls) -> Void) throws -> SessionManager {
        var configuration = SessionConfiguration()
        change(&configuration.fileCalls)
        return try stubManager(configuration: configuration) { _ in StubReply(body: "new") }.0
    }

    private static func noLink(_ code: Int32) -> @Sendable (Int32, Int32, String) -> Int32 {
        { _, _, _ in
            errno = code
            return -1
        }
    }

    private static func noRename(_ code: Int32) -> @Sendable (Int32, String, String) -> Int32 {
        { _, _, _ in
            errno = code
            return -1
        }
    }

    @Test(
        "a file system without links gives a free name by a rename, and keeps nothing of the question",
        arguments: [EPERM, EOPNOTSUPP, EINVAL, ENOSYS, EMLINK, ENOENT, EACCES, EXDEV, nil])
    func noLinks(_ code: Int32?) async throws {
        let during = Guarded<[String]>([])
        let folder = folder
        let manager = try manager { calls in
            if let code { calls.link = Self.noLink(code) }
            calls.write = { file, bytes in
                during.withLock { $0 = folder.names }
                return FileCalls.system.write(file, bytes)
            }
        }
        _ = try await manager.download(request, to: .file(url))
        #expect(try Data(contentsOf: url) == Data("new".utf8))
        #expect(folder.names == ["x"])
        #expect(during.withLock(\.count) == 1)
    }

    @Test("a link that is not one to the file is found out before the transfer")
    func falseLink() async throws {
        let manager = try manager { calls in
            calls.link = { _, folder, name in
                let other = FileCalls.system.create(folder, name)
                defer { close(other) }
                return other < 0 ? -1 : 0
            }
        }
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .file(url))
        }
        #expect(error?.description == Self.neither)
        #expect(!folder.names.contains("x"))
    }

    private static let neither =
        "GET origin.test/a: x cannot be written: its file system can neither link nor rename to a free name only; "
        + "replacingFile() needs neither"

    @Test("without links, what takes the name during the transfer stays as it is")
    func takenMeanwhile() async throws {
        let folder = folder
        let manager = try manager { calls in
            calls.link = Self.noLink(EPERM)
            calls.sync = { file in
                try? folder.make(.file, "x")
                return FileCalls.system.sync(file)
            }
        }
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .file(url))
        }
        #expect((error?.cause as? POSIXError)?.code == .EEXIST)
        #expect(try Data(contentsOf: url) == Data("old".utf8))
        #expect(folder.names == ["x"])
    }

    @Test(
        "without links, a part that is replaced is found out, before the rename or after it",
        arguments: [
            (true, "its .part file was removed or replaced by another"), (false, "another file has come in its place"),
        ])
    func swapped(isBefore: Bool, _ reason: String) async throws {
        let folder = folder.url
        let swap: @Sendable () -> Void = { try? DownloadFaultTests.Swap.replaced.act(in: folder) }
        let manager = try manager { calls in
            calls.link = Self.noLink(EPERM)
            calls.sync = { file in
                if isBefore { swap() }
                return FileCalls.system.sync(file)
            }
            calls.renameToFree = { folder, from, to in
                if !isBefore, to == "x" { swap() }
                return FileCalls.system.renameToFree(folder, from, to)
            }
        }
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .file(url))
        }
        #expect(error?.description == "GET origin.test/a: x cannot be written: \(reason)")
        #expect(FileManager.default.fileExists(atPath: url.path) == !isBefore)
    }

    @Test(
        "where neither a link nor such a rename works, a download says so before the transfer, and what to do",
        arguments: [EINVAL, ENOSYS, EPERM, EOPNOTSUPP, EACCES])
    func neither(_ code: Int32) async throws {
        let writes = Guarded(0)
        let manager = try manager { calls in
            calls.link = Self.noLink(EPERM)
            calls.renameToFree = Self.noRename(code)
            calls.write = { file, bytes in
                writes.withLock { $0 += 1 }
                return FileCalls.system.write(file, bytes)
            }
        }
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .file(url))
        }
        #expect(error?.code == .file)
        #expect(error?.description == Self.neither)
        #expect(folder.names == [])
        #expect(writes.withLock { $0 } == 0)
        _ = try await manager.download(request, to: .file(url).replacingFile())
        #expect(try Data(contentsOf: url) == Data("new".utf8))
    }

    @Test("a download is kept and resumed on a file system without links")
    func resumed() async throws {
        let origin = ResumableOrigin(cuts: [3_000, 3_000])
        var configuration = SessionConfiguration()
        configuration.fileCalls.link = Self.noLink(EPERM)
        let (_, first) = try await origin.begin(manager: origin.manager(configuration: configuration))
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager(configuration: configuration).download(request, to: .rest(of: first))
        }
        // Another request: nothing was asked for, and the part has its name.
        #expect(error?.resumption == first)
        let file = SessionRequest("file")
        let second = await #expect(throws: SessionError.self) {
            try await origin.manager(configuration: configuration).download(file, to: .rest(of: first))
        }
        let rest = try #require(second?.resumption)
        #expect(rest.bytes == 6_000)
        _ = try await origin.manager(configuration: configuration).download(file, to: .rest(of: rest))
        #expect(try Data(contentsOf: origin.url) == origin.body)
        #expect(origin.folder.names == ["x"])
    }

    @Test(
        "the file gets the mode of a plain new file when it gets its name, and not before; a temporary one stays its owner's",
        arguments: [
            (mode_t?.some(0o644), 0o644), (0o640, 0o640), (0o600, 0o600), (0o664, 0o664), (nil, 0o600),
        ])
    func mode(_ plain: mode_t?, _ expected: Int) async throws {
        let parts = Guarded<Set<Int?>>([])
        let probes = Guarded<[String]>([])
        let folder = folder
        let manager = try manager { calls in
            calls.plainMode = { _, name in
                probes.withLock { $0.append(name) }
                return plain
            }
            calls.sync = { file in
                parts.withLock { parts in for name in folder.names { parts.insert(folder.mode(of: name)) } }
                return FileCalls.system.sync(file)
            }
        }
        _ = try await manager.download(request, to: .file(url))
        #expect(parts.withLock { $0 } == [0o600])
        #expect(folder.mode(of: "x") == expected)
        _ = try await manager.download(request, to: .file(url).replacingFile())
        #expect(folder.mode(of: "x") == expected)
        let temporary = try await manager.download(request).value
        defer { try? FileManager.default.removeItem(at: temporary) }
        #expect(
            try FileManager.default.attributesOfItem(atPath: temporary.path)[.posixPermissions] as? Int == 0o600)
        // Names that the next download removes, if the process ends while such a file is there.
        let names = probes.withLock { $0 }
        #expect(names.count == 2 && Set(names).count == 2)
        #expect(names.allSatisfy { PartName.isOpen($0.utf8, of: "x") })
    }

    @Test("a temporary file that is resumed stays its owner's")
    func resumedTemporary() async throws {
        let origin = ResumableOrigin(cuts: [3_000])
        let file = SessionRequest("file")
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(file, to: .temporary.resumable())
        }
        let url = try await origin.manager().download(file, to: .rest(of: #require(error?.resumption))).value
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o600)
        #expect(try Data(contentsOf: url) == origin.body)
    }

    @Test("a file system without modes keeps its own", arguments: [EPERM, ENOSYS, EOPNOTSUPP, EINVAL])
    func noModes(_ code: Int32) async throws {
        let manager = try manager { calls in
            calls.plainMode = { _, _ in 0o666 }
            calls.setMode = { _, _ in
                errno = code
                return -1
            }
        }
        _ = try await manager.download(request, to: .file(url))
        #expect(folder.mode(of: "x") == 0o600)
    }

    @Test("the mode of a plain new file is the one that another program's file gets, and leaves nothing in the folder")
    func plainMode() throws {
        let other = folder.url.appending(path: "other").path
        let file = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        try #require(file >= 0)
        close(file)
        let place = try OpenFolder(of: url, creates: false)
        let mode = try #require(FileCalls.system.plainMode(place.descriptor, "probe"))
        #expect(Int(mode) == folder.mode(of: "other"))
        #expect(folder.names == ["other"])
    }

    @Test(
        "a name that is taken shows no mode, and keeps its file",
        arguments: [TemporaryFolder.Kind.file, .folder, .link, .pipe])
    func plainModeOfATakenName(_ kind: TemporaryFolder.Kind) throws {
        try folder.make(kind, "taken")
        let names = folder.names
        let place = try OpenFolder(of: url, creates: false)
        #expect(FileCalls.system.plainMode(place.descriptor, "taken") == nil)
        #expect(folder.names == names)
    }

    @Test(
        "a link that fails at the end is replaced by a rename to a free name",
        arguments: [EPERM, EACCES, ENOSPC, EMLINK])
    func linkFailsLater(_ code: Int32) async throws {
        let manager = try manager { calls in
            calls.link = { file, folder, name in
                name == "x" ? Self.noLink(code)(file, folder, name) : FileCalls.system.link(file, folder, name)
            }
        }
        _ = try await manager.download(request, to: .file(url))
        #expect(try Data(contentsOf: url) == Data("new".utf8))
        #expect(folder.names == ["x"])
    }

    @Test("of many downloads to a free name at once one gets it, and the others say that there is a file")
    func manyToAFreeName() async throws {
        let bodies = Guarded(0)
        let (manager, _) = try stubManager { _ in
            let number = bodies.withLock { bodies in
                bodies += 1
                return bodies
            }
            return StubReply(body: String(repeating: "\(number % 10)", count: 100_000))
        }
        let (request, url) = (request, url)
        let failures = await withTaskGroup(of: SessionError?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do throws(SessionError) {
                        _ = try await manager.download(request, to: .file(url))
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [SessionError]()) { all, error in if let error { all.append(error) } }
        }
        #expect(failures.count == 49)
        let reason = "x cannot be written: File exists; replacingFile() replaces it"
        for failure in failures { #expect(failure.reason == reason) }
        let content = try Data(contentsOf: url)
        #expect(content.count == 100_000 && Set(content).count == 1)
        #expect(folder.names == ["x"])
    }

    @Test("many downloads of one name at once never remove what another writes")
    func manyAtOnce() async throws {
        let manager = try manager { _ in }
        let (request, url) = (request, url)
        await withTaskGroup(of: Result<URL, any Error>.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do {
                        return .success(try await manager.download(request, to: .file(url).replacingFile()).value)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for await result in group { #expect(throws: Never.self) { try result.get() } }
        }
        #expect(folder.names == ["x"])
    }
}
