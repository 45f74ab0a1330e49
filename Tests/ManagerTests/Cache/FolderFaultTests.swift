import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("A folder of answers whose disk fails", .timeLimit(.minutes(5))) struct FolderFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Int32
        let change: @Sendable (inout FileCalls, Int32) -> Void

        private static let create: @Sendable (inout FileCalls, Int32) -> Void = { calls, code in
            calls.openFile = { folder, name, flags in
                guard flags & O_CREAT != 0 else { return FileCalls.system.openFile(folder, name, flags) }
                errno = code
                return -1
            }
        }
        private static let write: @Sendable (inout FileCalls, Int32) -> Void = { calls, code in
            calls.writeAt = { file, bytes, place in
                // Some bytes fit.
                if place == 0, bytes.count > 10 {
                    return FileCalls.system.writeAt(file, UnsafeRawBufferPointer(rebasing: bytes[..<10]), place)
                }
                errno = code
                return -1
            }
        }
        private static let rename: @Sendable (inout FileCalls, Int32) -> Void = { calls, code in
            calls.rename = { _, _, _ in
                errno = code
                return -1
            }
        }

        static let all =
            [ENOSPC, EROFS, EDQUOT, EACCES].map { Fault(testDescription: "create \($0)", code: $0, change: create) }
            + [ENOSPC, EIO, EDQUOT, EFBIG].map { Fault(testDescription: "write \($0)", code: $0, change: write) }
            + [EROFS, EIO, EBUSY].map { Fault(testDescription: "rename \($0)", code: $0, change: rename) }
    }

    @Test(
        "a disk that is full, fails or can't be written to keeps nothing, says so in an event, and the call goes on",
        arguments: Fault.all, ["small", "large"])
    func faults(_ fault: Fault, _ page: String) async throws {
        let folder = TemporaryFolder()
        // The key is there before the disk fails.
        #expect(await folder.store().put("there", [1]) == nil)
        let before = folder.names
        var calls = FileCalls.system
        fault.change(&calls, fault.code)
        let log = EventLog()
        let (manager, stub) = try FolderCallTests.manager(folder.store(calls), observers: [log])
        for _ in 0..<2 {
            let reply = try await manager.send(SessionRequest(page), as: Data.self)
            #expect(Array(reply.value) == (page == "small" ? FolderCallTests.small : FolderCallTests.large))
            #expect(reply.cacheStatus?.isStored == false)
        }
        #expect(stub.requests.count == 2)
        await log.hears(ends: 2)
        let words = SystemError.words(fault.code)
        #expect(log.lines(of: 1).contains("noted the response is not stored: its file cannot be written: \(words)"))
        #expect(folder.names == before)
        // What was there can be read.
        #expect(try await folder.store(calls).find("there")?.body == [1])
    }

    @Test("a folder that can't be made is said in an event, and the call goes on")
    func noFolder() async throws {
        let folder = TemporaryFolder()
        try folder.write("", to: "file")
        for url in [
            folder.url.appending(path: "file"), folder.url.appending(path: "file/cache"),
            URL(filePath: "/dev/null/cache"), URL(filePath: "/proc/cache"),
        ] {
            let log = EventLog()
            let (manager, _) = try FolderCallTests.manager(FolderStore(url, limit: 1 << 20), observers: [log])
            #expect(
                Array(try await manager.send(SessionRequest("small"), as: Data.self).value) == FolderCallTests.small)
            await log.hears(ends: 1)
            #expect(log.lines(of: 1).contains { $0.hasPrefix("noted the response is not stored: key cannot be ") })
        }
        let web = try #require(URL(string: "http://origin.test/cache"))
        #expect(
            await FolderStore(web, limit: 100).put("page", [1]) == "cache cannot be written: the URL names no folder")
        #expect(folder.names == ["file"])
    }

    @Test("an answer that the disk does not take as fast as it arrives is not stored, and nothing of it is left")
    func slowDisk() async throws {
        let folder = TemporaryFolder()
        let gate = OneShot()
        let isHeld = DispatchSemaphore(value: 0)
        gate.whenFired { isHeld.signal() }
        var calls = FileCalls.system
        calls.lock = { file in
            isHeld.wait()
            isHeld.signal()
            return FileCalls.system.lock(file)
        }
        _ = await folder.store().digest(until: OneShot())
        let store = folder.store(calls)
        let head = StoredHead(200, [:], Variant(names: [], digest: 0), born: 0, received: 0)
        let writer = store.writer(await store.digest(of: "page"), head)
        let chunk = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<20 { chunk.withUnsafeBytes { writer.append($0) } }
        gate.fire()
        let reason = await writer.finish(replacing: { _ in true }, until: OneShot())
        #expect(reason == "the disk is slower than the network")
        try await until { folder.names == ["key"] }
    }

    @Test("a chunk of any size is stored if the disk has taken what was before it")
    func largeChunk() async throws {
        let folder = TemporaryFolder()
        let store = folder.store()
        let head = StoredHead(200, [:], Variant(names: [], digest: 0), born: 0, received: 0)
        let writer = store.writer(await store.digest(of: "page"), head)
        [UInt8](repeating: 1, count: 17 << 20).withUnsafeBytes { writer.append($0) }
        #expect(await writer.finish(replacing: { _ in true }, until: OneShot()) == nil)
        #expect(try await store.find("page")?.body.count == 17 << 20)
    }

    @Test("whatever call fails, an answer is stored whole or not at all, and a call ends with its value")
    func everyCall() async throws {
        var failed: [String] = []
        for number in 1...100 {
            let folder = TemporaryFolder()
            let left = Shared((count: number, name: String?.none))
            let calls = FileCalls.counting { name in
                let isTurn = left.withLock { left in
                    left.count -= 1
                    if left.count == 0 { left.name = name }
                    return left.count == 0
                }
                if isTurn { errno = EIO }
                return !isTurn
            }
            let store = folder.store(calls)
            for page in ["small", "large", "small", "large"] {
                let (manager, _) = try FolderCallTests.manager(store)
                let body = page == "small" ? FolderCallTests.small : FolderCallTests.large
                do {
                    #expect(Array(try await manager.send(SessionRequest(page), as: Data.self).value) == body)
                } catch {
                    // A part of the answer was given before.
                    #expect((error.cause as? TransportFailure)?.code == .lostConnection)
                    #expect(left.withLock { $0.name } == "read")
                }
            }
            await store.validate("other") { _ in ["X-New": "1"] }
            for page in ["small", "large"] {
                let (manager, _) = try FolderCallTests.manager(folder.store())
                let body = page == "small" ? FolderCallTests.small : FolderCallTests.large
                #expect(Array(try await manager.send(SessionRequest(page), as: Data.self).value) == body)
            }
            #expect(folder.answers.count == 2)
            guard let name = left.withLock({ $0.name }) else { break }
            failed.append(name)
            if name != "remove" { #expect(folder.names.count == 3, "\(name) \(number)") }
        }
        #expect(Set(failed).isSuperset(of: ["openFile", "lock", "read", "writeAt", "rename", "link"]))
    }

    // MARK: A disk that hangs

    struct Hang: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether the answer is there before.
        var isStored = true
        /// Whether the disk answers again before the answer of the server is stored.
        var isKept = false
        let change: @Sendable (inout FileCalls, HungCall) -> Void

        static let all = [
            Hang(testDescription: "opening the key") { calls, hung in
                calls.openFile = { folder, name, flags in
                    if name == "key" { hung.wait() }
                    return FileCalls.system.openFile(folder, name, flags)
                }
            },
            Hang(testDescription: "opening an answer", isKept: true) { calls, hung in
                calls.openFile = { folder, name, flags in
                    if name != "key" { hung.wait() }
                    return FileCalls.system.openFile(folder, name, flags)
                }
            },
            Hang(testDescription: "reading an answer", isKept: true) { calls, hung in
                calls.read = { file, bytes, place in
                    if bytes.count > 17 { hung.wait() }
                    return FileCalls.system.read(file, bytes, place)
                }
            },
            Hang(testDescription: "making a part", isStored: false) { calls, hung in
                calls.openFile = { folder, name, flags in
                    if flags & O_CREAT != 0 { hung.wait() }
                    return FileCalls.system.openFile(folder, name, flags)
                }
            },
            Hang(testDescription: "locking a part", isStored: false) { calls, hung in
                calls.lock = { file in
                    hung.wait()
                    return FileCalls.system.lock(file)
                }
            },
            Hang(testDescription: "writing", isStored: false) { calls, hung in
                calls.writeAt = { file, bytes, place in
                    hung.wait()
                    return FileCalls.system.writeAt(file, bytes, place)
                }
            },
            Hang(testDescription: "renaming", isStored: false) { calls, hung in
                calls.rename = { folder, from, to in
                    hung.wait()
                    return FileCalls.system.rename(folder, from, to)
                }
            },
        ]
    }

    @Test(
        "a call has its value from the server though the disk hangs, or ends when it is cancelled", arguments: Hang.all,
        [false, true])
    func hang(_ hang: Hang, isCancelled: Bool) async throws {
        let folder = TemporaryFolder()
        let plain = try FolderCallTests.manager(folder.store()).0
        _ = try await plain.send(SessionRequest(hang.isStored ? "large" : "other"), as: Data.self)
        let hung = HungCall()
        var calls = FileCalls.system
        hang.change(&calls, hung)
        let (manager, _) = try FolderCallTests.manager(folder.store(calls))
        let call = Task { try await manager.send(SessionRequest("large"), as: Data.self) }
        try await until { hung.made == 1 }
        if isCancelled { manager.cancelAll() }
        let end = await call.result
        #expect(hung.count == 1 && !hung.isExpired)
        if !isCancelled {
            let reply = try end.get()
            #expect(Array(reply.value).elementsEqual(FolderCallTests.large))
            #expect(reply.cacheStatus?.isStored == hang.isKept)
        }
        hung.end()
        try await until { hung.count == 0 && folder.names.allSatisfy { $0 == "key" || StoredName($0.utf8) != nil } }
        #expect(try await Array(plain.send(SessionRequest("large"), as: Data.self).value) == FolderCallTests.large)
    }

    @Test("once all threads hang, calls go on without waiting, and when the disk answers again, answers are used")
    func allThreads() async throws {
        let folder = TemporaryFolder()
        let plain = try FolderCallTests.manager(folder.store()).0
        _ = try await plain.send(SessionRequest("small"), as: Data.self)
        let hung = HungCall(first: 100)
        var calls = FileCalls.system
        calls.read = { file, bytes, place in
            if bytes.count > 17 { hung.wait() }
            return FileCalls.system.read(file, bytes, place)
        }
        let (manager, _) = try FolderCallTests.manager(folder.store(calls))
        for _ in 0..<2 {
            await withTaskGroup(of: [UInt8]?.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try? await Array(
                            manager.send(
                                SessionRequest("small", headers: ["Cache-Control": "max-age=9"]), as: Data.self
                            ).value)
                    }
                }
                for await value in group { #expect(value == FolderCallTests.small) }
            }
        }
        #expect(!hung.isExpired)
        hung.end(100)
        try await until { hung.count == 0 }
        #expect(try await manager.send(SessionRequest("small"), as: Data.self).cacheStatus?.isHit == true)
    }
}

extension FileCalls {
    /// The calls of the system that a cache makes, each after `goesOn` has agreed.
    static func counting(_ goesOn: @escaping @Sendable (String) -> Bool) -> FileCalls {
        let system = FileCalls.system
        var calls = system
        calls.openFile = { goesOn("openFile") ? system.openFile($0, $1, $2) : -1 }
        calls.lock = { goesOn("lock") ? system.lock($0) : -1 }
        calls.read = { goesOn("read") ? system.read($0, $1, $2) : -1 }
        calls.writeAt = { goesOn("writeAt") ? system.writeAt($0, $1, $2) : -1 }
        calls.rename = { goesOn("rename") ? system.rename($0, $1, $2) : -1 }
        calls.link = { goesOn("link") ? system.link($0, $1, $2) : -1 }
        calls.renameToFree = { goesOn("renameToFree") ? system.renameToFree($0, $1, $2) : -1 }
        calls.remove = { goesOn("remove") ? system.remove($0, $1) : -1 }
        return calls
    }
}
