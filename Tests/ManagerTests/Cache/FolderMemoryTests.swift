import Foundation
import PatchbayPlatform
import TestSupport
import Testing

@testable import PatchbayManager

/// Answers of a folder whose files the system has in memory: they are read without another thread.
@Suite(
    "Files of a cache that the system has in memory",
    .enabled("the folder for temporary files is on no local disk that answers from memory") {
        isAnsweredInMemory
    })
struct FolderMemoryTests {
    private let folder = TemporaryFolder()
    /// How often a file of an answer was opened, on a thread of the store's and from memory.
    private let opened = Shared(0)
    private let openedInMemory = Shared(0)

    private func store(_ change: (inout FileCalls) -> Void = { _ in }) -> FolderStore {
        func counted(_ calls: FileCalls, _ count: Shared<Int>) -> FileCalls {
            var counted = calls
            counted.openFile = { folder, name, flags in
                if StoredName(name.utf8) != nil { count.withLock { $0 += 1 } }
                return calls.openFile(folder, name, flags)
            }
            return counted
        }
        var inMemory = FileCalls.inMemory
        change(&inMemory)
        return FolderStore(
            folder.url, limit: 1 << 26, calls: counted(.system, opened),
            inMemory: counted(inMemory, openedInMemory), pause: .zero)
    }

    /// How often a file was opened in each way since the last time.
    private func opens() -> [Int] {
        [opened, openedInMemory].map { count in
            count.withLock { value in
                defer { value = 0 }
                return value
            }
        }
    }

    @Test("a small answer is read from memory, and by every store of the folder", arguments: [0, 1, 1_000, 1 << 16])
    func hit(_ count: Int) async throws {
        let stores = [store(), store()]
        #expect(await stores[0].put("page", pattern(count)) == nil)
        _ = try await stores[1].find("page")
        _ = opens()
        for store in stores {
            #expect(try await store.find("page")?.body == pattern(count))
            #expect(opens() == [0, 1])
        }
    }

    @Test("a file that is not in memory, or not all of it, is read on another thread, and stays", arguments: 0..<4)
    func waiting(_ fault: Int) async throws {
        let reads = Shared(0)
        let store = store { calls in
            let system = calls
            switch fault {
            case 0: calls.openFile = FileCalls.nothingInMemory.openFile
            case 1:
                calls.read = { _, _, _ in
                    errno = EAGAIN
                    return -1
                }
            // The first hundred bytes are there.
            case 2:
                calls.read = { file, bytes, offset in
                    let first = UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(100))
                    if reads.withLock({
                        $0 += 1
                        return $0
                    }) == 1 {
                        return system.read(file, first, offset)
                    }
                    errno = EAGAIN
                    return -1
                }
            default:
                calls.read = { _, _, _ in
                    errno = EOPNOTSUPP
                    return -1
                }
            }
        }
        #expect(await store.put("page", pattern(1_000)) == nil)
        #expect(try await store.find("page")?.body == pattern(1_000))
        #expect(opens() == [1, 1])
        #expect(folder.answers.count == 1)
        #expect(try await store.find("page")?.body == pattern(1_000))
    }

    @Test("an answer of more than one block is read in blocks on another thread")
    func large() async throws {
        let store = store()
        #expect(await store.put("page", pattern(1 << 16 | 1)) == nil)
        #expect(try await store.find("page")?.body == pattern(1 << 16 | 1))
        #expect(opens()[0] == 1)
    }

    @Test("of two variants the newest counts, though only the older one is in memory")
    func variants() async throws {
        let (first, second) = (await store().name(of: "page", variant: 1), await store().name(of: "page", variant: 2))
        let store = store { calls in
            let system = calls
            calls.openFile = {
                $1 == second ? FileCalls.nothingInMemory.openFile($0, $1, $2) : system.openFile($0, $1, $2)
            }
        }
        let now = Date().timeIntervalSince1970
        #expect(await store.put("page", [1], variant: 1, received: now - 10) == nil)
        #expect(await store.put("page", [2], variant: 2, received: now) == nil)
        let found = await store.response(await store.digest(of: "page"), where: { _ in true }, until: OneShot())
        #expect(found.selected?.head.variant.digest == 2)
        #expect(first != second)
    }

    @Test("a damaged file is removed, though it is in memory", arguments: [30, 60, -1])
    func damaged(_ place: Int) async throws {
        let store = store()
        #expect(await store.put("page", pattern(1_000)) == nil)
        let name = await store.name(of: "page")
        var bytes = try folder.bytes(of: name)
        bytes[place < 0 ? bytes.count + place : place] ^= 1
        try folder.put(bytes, in: name)
        #expect(try await store.find("page") == nil)
        #expect(folder.answers.isEmpty)
    }

    @Test("a use is noted once in a second, on another thread")
    func use() async throws {
        let store = store()
        #expect(await store.put("page", pattern(1_000)) == nil)
        let path = folder.url.appending(path: await store.name(of: "page")).path
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -100)], ofItemAtPath: path)
        #expect(try await store.find("page") != nil)
        #expect(opens() == [1, 1])
        let noted = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        #expect(noted.map { $0.timeIntervalSinceNow > -50 } == true)
    }

    @Test("a link, a pipe and a folder of the file's name are no answer", arguments: 0..<3)
    func others(_ kind: Int) async throws {
        let store = store()
        #expect(await store.put("page", pattern(1_000)) == nil)
        let path = folder.url.appending(path: await store.name(of: "page")).path
        let other = folder.url.appending(path: "other").path
        try FileManager.default.moveItem(atPath: path, toPath: other)
        switch kind {
        case 0: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
        case 1: try #require(mkfifo(path, 0o600) == 0)
        default: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        #expect(try await store.find("page") == nil)
        #expect(FileManager.default.fileExists(atPath: other))
    }
}

/// Whether the system answers from memory here: the kernel and the file system can be without it.
private var isAnsweredInMemory: Bool {
    let folder = TemporaryFolder()
    guard (try? folder.put([1], in: "file")) != nil,
        let open = try? OpenFolder(of: folder.url.appending(path: "x"), creates: false),
        SystemCall.isOnLocalDisk(open.descriptor)
    else { return false }
    let file = SystemCall.openInMemory(open.descriptor, "file")
    defer { SystemCall.close(file) }
    return FileCalls.inMemory.bytes(of: file, at: 0, 10) == [1]
}
