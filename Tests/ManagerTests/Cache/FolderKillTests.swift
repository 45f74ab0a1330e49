#if os(Linux)
    import Foundation
    import PatchbayPlatform
    import PatchbayRegistry
    import PatchbayTesting
    import TestSupport
    import Testing

    @testable import PatchbayManager

    /// Processes that are killed while they store answers.
    @Suite("A folder of answers whose processes are killed", .timeLimit(.minutes(15))) struct FolderKillTests {
        private static let pages = 6
        private static let rounds =
            ProcessInfo.processInfo.environment["PATCHBAY_KILL_ROUNDS"].flatMap { Int($0) } ?? 25

        struct Wrong: Error, CustomStringConvertible { let description: String }

        /// An answer whose fields say what its body is.
        private static func put(_ page: String, _ version: Int, in store: FolderStore) async -> Bool {
            let count = Int(UInt64(version) &* 2_654_435_761 % 150_000)
            let fields: HeaderFields = ["X-Version": "\(version)", "X-Count": "\(count)"]
            let body = pattern(count, seed: UInt64(version))
            return await store.put(page, body, fields, received: Double(version)) == nil
        }

        /// The version of the answer; nil without one. Throws if anything of it is wrong.
        private static func check(_ page: String, in store: FolderStore) async throws -> Int? {
            guard let found = try await store.find(page) else { return nil }
            guard let version = found.head.fields["X-Version"].flatMap({ Int($0) }),
                let count = found.head.fields["X-Count"].flatMap({ Int($0) }), found.head.received == Double(version),
                found.body == pattern(count, seed: UInt64(version))
            else { throw Wrong(description: "\(page): \(found.head.fields), \(found.body.count) bytes") }
            return version
        }

        /// Stores, validates and reads answers until the process is killed: at a call of the system, which can be done in
        /// part, or at any moment.
        private static func work(_ path: String, _ number: Int, seed: UInt64, limit: Int) async throws {
            var random = SplitMix(seed: seed)
            var calls = FileCalls.system
            if Bool.random(using: &random) {
                let left = Shared(Int.random(in: 1...120, using: &random))
                let share = Int.random(in: 0...3, using: &random)
                let system = FileCalls.system
                let dies: @Sendable () -> Bool = {
                    left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                }
                calls = FileCalls.counting { _ in
                    if dies() { kill(getpid(), SIGKILL) }
                    return true
                }
                calls.writeAt = { file, bytes, place in
                    guard dies() else { return system.writeAt(file, bytes, place) }
                    _ = system.writeAt(
                        file, UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count * share / 3)]), place)
                    kill(getpid(), SIGKILL)
                    return -1
                }
            } else {
                let pause = UInt32.random(in: 0...60_000, using: &random)
                _ = BackgroundThread.start {
                    usleep(pause)
                    kill(getpid(), SIGKILL)
                }
            }
            let store = FolderStore(URL.file(at: path), limit: limit, calls: calls)
            let log = open(path + ".log", O_WRONLY | O_APPEND | O_CREAT, 0o600)
            for version in (Int(seed) * 1_000)... {
                let isOwn = Bool.random(using: &random)
                let page = (isOwn ? "own\(number)-" : "shared") + "\(Int.random(in: 0..<pages, using: &random))"
                switch Int.random(in: 0..<10, using: &random) {
                case 0, 1:
                    await store.validate(page) { $0.with(["X-New": "\(version)"]) }
                case 2: _ = try await check(page, in: store)
                default:
                    guard await put(page, version, in: store) else { continue }
                    let line = "\(page) \(version)\n"
                    _ = line.utf8CString.withUnsafeBytes { write(log, $0.baseAddress, $0.count - 1) }
                }
            }
        }

        @Test(
            "two processes that are killed again and again leave whole answers, lose none, and their parts are removed")
        func killed() async throws {
            let outer = TemporaryFolder()
            var figures = (checked: 0, found: 0, stored: 0)
            for (kind, limit) in [("roomy", 1 << 30), ("narrow", 600_000)] {
                let path = outer.url.appending(path: kind).path
                for round in 1...Self.rounds {
                    let seeds = (0..<2).map { UInt64(round * 2 + $0 + (kind == "narrow" ? 100_000 : 0)) }
                    await withTaskGroup(of: Void.self) { group in
                        for (number, seed) in seeds.enumerated() {
                            group.addTask {
                                await #expect(processExitsWith: .signal(SIGKILL)) {
                                    [
                                        path = path as String, number = number as Int, seed = seed as UInt64,
                                        limit = limit as Int
                                    ] in
                                    alarm(60)
                                    try await Self.work(path, number, seed: seed, limit: limit)
                                }
                            }
                        }
                    }
                    let lines = (try? String(contentsOfFile: path + ".log", encoding: .utf8)) ?? ""
                    let stored = lines.split(separator: "\n").reduce(into: [Substring: Int]()) { stored, line in
                        let words = line.split(separator: " ")
                        stored[words[0]] = max(stored[words[0]] ?? 0, Int(words[1]) ?? 0)
                    }
                    figures.stored = max(figures.stored, lines.split(separator: "\n").count)
                    let store = FolderStore(URL.file(at: path), limit: limit)
                    for page in ["own0-", "own1-", "shared"].flatMap({ page in (0..<Self.pages).map { "\(page)\($0)" } }
                    ) {
                        let version = try await Self.check(page, in: store)
                        figures.checked += 1
                        figures.found += version == nil ? 0 : 1
                        guard kind == "roomy", let last = stored[page[...]] else { continue }
                        #expect(
                            version ?? -1 >= (page.hasPrefix("own") ? last : 0), "\(page): \(last), now \(version ?? 0)"
                        )
                    }
                }
                let folder = try FileManager.default.contentsOfDirectory(atPath: path)
                for name in folder where PartName.isOpen(name.utf8, of: StoredPart.name) {
                    outer.age(kind + "/" + name)
                }
                let store = FolderStore(URL.file(at: path), limit: limit)
                _ = try await store.find("other")
                let left = try FileManager.default.contentsOfDirectory(atPath: path)
                #expect(left.allSatisfy { $0 == "key" || StoredName($0.utf8) != nil })
                let sizes = try left.map {
                    try #require(try FileManager.default.attributesOfItem(atPath: path + "/" + $0)[.size] as? Int)
                }
                if kind == "narrow" { #expect(sizes.reduce(0, +) <= limit) }
            }
            print("killed \(Self.rounds * 4) processes: \(figures)")
            #expect(figures.found > figures.checked / 4)
        }

        @Test("the limit of the process for the size of a file ends the storing, and not the process")
        func fileSizeLimit() async throws {
            await #expect(processExitsWith: .success) {
                alarm(100)
                // Printing to a file would end the process, too.
                var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let folder = TemporaryFolder()
                let store = folder.store()
                #expect(await store.put("large", pattern(200_000)) == "its file cannot be written: File too large")
                #expect(await store.put("small", pattern(20_000)) == nil)
                let found = try await store.find("small")
                #expect(found?.body == pattern(20_000))
                #expect(folder.names.count == 2)
            }
        }

        @Test("a large hit is given from its file in pieces, in the memory of a few of them")
        func memory() async throws {
            let folder = TemporaryFolder()
            let path = folder.url.appending(path: "cache").path
            let store = FolderStore(URL.file(at: path), limit: 1 << 30)
            #expect(await store.put("page", pattern(12 << 20)) == nil)
            #expect(await store.put("warm", pattern(200_000)) == nil)
            let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                [path = path as String] in
                alarm(200)
                let store = FolderStore(URL.file(at: path), limit: 1 << 30)
                _ = try await store.find("warm")
                let before = try PeakMemory.kibibytes()
                let found = try #require(await store.response("page"))
                guard case .file(let body) = found.body else { exit(1) }
                var (number, count) = (0, 0)
                while let block = try await body.block(number, until: OneShot()) {
                    (number, count) = (number + 1, count + block.count)
                }
                print("grown by KiB", try PeakMemory.kibibytes() - before, "bytes", count)
            }
            let output = String(decoding: child?.standardOutputContent ?? [], as: UTF8.self)
            let words = try #require(output.split(separator: "\n").first { $0.hasPrefix("grown") }).split(
                separator: " ")
            #expect(words.last == "\(12 << 20)")
            #expect(try #require(Int(words[3])) < 4 << 10, "\(output)")
        }
    }
#endif
