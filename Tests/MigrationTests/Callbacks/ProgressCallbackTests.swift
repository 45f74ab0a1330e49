import Dispatch
import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ProgressCallbackTests {
    @Test("1.5.16, 1.11.3: uploads and downloads call back on their queue, their progress before their end")
    func transfers() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "transfers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (manager, _) = stubManager { _ in .json("[1]") }
        let queue = DispatchQueue(label: "transfers")
        let lines = Shared<[String]>([])
        let note: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
        let tell: @Sendable (TransferProgress) -> Void = { if $0.isFinished { note("\($0.completedBytes)") } }
        for verb in ["upload", "typed", "download", "failing"] {
            await withCheckedContinuation { continuation in
                let failure: @Sendable (SessionError) -> Void = {
                    note($0.code.rawValue)
                    continuation.resume()
                }
                let success: @Sendable (String) -> Void = {
                    note($0)
                    continuation.resume()
                }
                switch verb {
                case "upload":
                    manager.upload(
                        .value("abcd"), to: "a", on: queue, uploadProgress: tell,
                        success: { success($0.entry ?? "") }, failure: failure)
                case "typed":
                    manager.upload(
                        .value("abcd"), to: "a", as: [Int].self, on: queue, uploadProgress: tell,
                        success: { success("\($0.value)") }, failure: failure)
                case "download":
                    manager.download(
                        SessionRequest("a"), to: .folder(folder), on: queue, downloadProgress: tell,
                        success: { success($0.value.lastPathComponent) }, failure: failure)
                default:
                    manager.upload(
                        .file(folder), to: "a", on: queue, success: { success($0.entry ?? "") }, failure: failure)
                }
            }
        }
        #expect(lines.withLock { $0 } == ["4", "json", "4", "[1]", "3", "a", "invalidRequest"])
    }

    @Test("1.11.3: with callbacks the progress comes on their queue, all of it before the end")
    func verbs() async throws {
        let queue = DispatchQueue(label: "progress")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let lines = Shared<[String]>([])
        let note: @Sendable (String) -> Void = { line in
            lines.withLock { $0.append(line + (DispatchQueue.getSpecific(key: key) == true ? "" : " elsewhere")) }
        }
        let (manager, _) = stubManager { _ in .json("[1]") }
        let tell: @Sendable (TransferProgress) -> Void = { if $0.isFinished { note("\($0.completedBytes)") } }
        for verb in ["get", "get typed", "post", "put", "patch", "send", "send typed"] {
            await withCheckedContinuation { continuation in
                let success: @Sendable (Reply<any Sendable>) -> Void = { _ in
                    note(verb)
                    continuation.resume()
                }
                let typed: @Sendable (Reply<[Int]>) -> Void = { _ in
                    note(verb)
                    continuation.resume()
                }
                let failure: @Sendable (SessionError) -> Void = { Issue.record($0) }
                let request = SessionRequest("a", body: "abcd")
                switch verb {
                case "get":
                    manager.get("a", on: queue, downloadProgress: tell, success: success, failure: failure)
                case "get typed":
                    manager.get(
                        "a", as: [Int].self, on: queue, downloadProgress: tell, success: typed, failure: failure)
                case "post":
                    manager.post(
                        "a", .value("abcd"), on: queue, uploadProgress: tell, success: success, failure: failure)
                case "put":
                    manager.put(
                        "a", .value("abcd"), on: queue, uploadProgress: tell, success: success, failure: failure)
                case "patch":
                    manager.patch(
                        "a", .value("abcd"), on: queue, uploadProgress: tell, success: success, failure: failure)
                case "send":
                    manager.send(
                        request, on: queue, uploadProgress: tell, success: success, failure: failure)
                default:
                    manager.send(
                        request, as: [Int].self, on: queue, downloadProgress: tell, success: typed, failure: failure)
                }
            }
        }
        #expect(
            lines.withLock { $0 } == [
                "3", "get", "3", "get typed", "4", "post", "4", "put", "4", "patch", "4", "send", "3", "send typed",
            ])
    }

    @Test("1.6.3: a closure after the arguments is still the success, and the next one the failure")
    func trailingClosures() async throws {
        let (manager, _) = stubManager { _ in .json("1") }
        let isSuccess = await withCheckedContinuation { continuation in
            manager.get("a", on: DispatchQueue(label: "trailing")) { _ in
                continuation.resume(returning: true)
            } failure: { _ in
                continuation.resume(returning: false)
            }
        }
        #expect(isSuccess)
    }
}
