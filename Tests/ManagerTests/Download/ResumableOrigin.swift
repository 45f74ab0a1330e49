import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport

@testable import PatchbayManager

extension DownloadDestination {
    /// The destination that the resumption was begun to, as the resumption has it.
    static func rest(of resumption: DownloadResumption) -> DownloadDestination {
        var place = DownloadDestination.file(resumption.file)
        (place.replacesFile, place.isTemporary) = (resumption.replacesFile, resumption.isTemporary)
        return place.resuming(resumption)
    }
}

/// A manager over a stub that has one file, and breaks off as often and where it is told to.
final class ResumableOrigin: Sendable {
    let folder = TemporaryFolder()
    private let file: Guarded<RangedFile>
    private let cuts: Guarded<[Int]>
    private let says: Bool
    private let change: Guarded<@Sendable (inout StubReply) -> Void> = Guarded { _ in }
    private let sent = Guarded<[RequestHead]>([])

    /// - Parameters:
    ///   - cuts: after how many bytes each response in turn breaks off; those after the last are complete.
    ///   - saysLength: whether the responses have a Content-Length.
    init(_ file: RangedFile = RangedFile(bytes: 10_000), cuts: [Int] = [], saysLength: Bool = true) {
        self.file = Guarded(file)
        self.cuts = Guarded(cuts)
        says = saysLength
    }

    var body: Data { Data(file.withLock { $0.body }) }
    var url: URL { folder.url.appending(path: "x") }
    /// The heads of the requests so far.
    var requests: [RequestHead] { sent.withLock { $0 } }

    func replace(_ new: RangedFile) { file.withLock { $0 = new } }

    /// Changes the replies from now on.
    func change(_ change: @escaping @Sendable (inout StubReply) -> Void) { self.change.withLock { $0 = change } }

    func manager(
        _ registry: SerializerRegistry? = nil, configuration: SessionConfiguration = SessionConfiguration()
    ) throws -> SessionManager {
        try stubManager(registry, configuration: configuration) { request in
            self.sent.withLock { $0.append(request.head) }
            if let target = request.head.url.query(), target.hasPrefix("to=") {
                return .redirect(302, to: String(target.dropFirst(3)))
            }
            return self.reply(to: request.head.fields)
        }.0
    }

    /// Lets a first download break off.
    func begin(
        _ request: SessionRequest = SessionRequest("file"), manager: SessionManager? = nil
    ) async throws -> (error: SessionError, resumption: DownloadResumption) {
        do {
            _ = try await (try manager ?? self.manager()).download(request, to: .file(url).resumable())
        } catch {
            if let error = error as? SessionError, let resumption = error.resumption { return (error, resumption) }
            throw error
        }
        throw NotBrokenOff()
    }

    private struct NotBrokenOff: Error {}

    private func reply(to fields: HeaderFields) -> StubReply {
        let answer = file.withLock { $0.answer(to: fields) }
        var reply = StubReply(status: answer.status, fields: answer.fields, body: Data(answer.body))
        if says { reply.fields["Content-Length"] = "\(answer.body.count)" }
        let cut = cuts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let cut {
            reply.chunks = cut == 0 ? [] : [Data(answer.body.prefix(cut))]
            reply.failure = TransportFailure(.truncatedBody, "the body ended early")
        }
        change.withLock { $0 }(&reply)
        return reply
    }
}
