import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file that a download is to make, through all the tries of the call.
final class FileTarget: Sendable {
    private struct State: Sendable {
        /// What the try is writing, or has written.
        var part: PartialFile?
        /// What the next try starts from.
        var resumption: DownloadResumption?
        /// What joins the bytes of the part to a later response, or why nothing does; nil where nobody asked for that.
        var validator: Result<StrongValidator, Refusal>?
        /// How long the whole file is.
        var length: Int?
        /// The digest of the request.
        var target = ""
    }

    /// Whether the finished file is serialized, so that the limits of its entry hold.
    let isSerialized: Bool
    private let destination: DownloadDestination
    private let calls: FileCalls
    private let state: Guarded<State>

    init(_ destination: DownloadDestination, isSerialized: Bool, calls: FileCalls) {
        self.destination = destination
        self.isSerialized = isSerialized
        self.calls = calls
        state = Guarded(State())
    }

    /// The rest of a file that was begun.
    init(resuming resumption: DownloadResumption, isSerialized: Bool, calls: FileCalls) {
        var place = DownloadDestination.file(resumption.file).resumable()
        place.replacesFile = resumption.replacesFile
        place.isTemporary = resumption.isTemporary
        destination = place
        self.isSerialized = isSerialized
        self.calls = calls
        state = Guarded(State(resumption: resumption))
    }

    /// Readies a request for a try: one that goes on asks for the rest of the version that it has the beginning of.
    func prepare(_ request: inout OutgoingRequest) throws(SessionError) {
        let target = Self.digest(request)
        let resumption = state.withLock { state in
            // The try before may have finished its file, and failed at something later.
            state.part?.withdraw()
            state.part = nil
            state.target = target
            return state.resumption
        }
        // Ranges are ranges of what was coded, and a coding need not come out alike a second time.
        if destination.isResumable, request.fields["Accept-Encoding"] == nil {
            request.fields["Accept-Encoding"] = "identity"
        }
        guard let resumption else { return }
        guard resumption.target == target else {
            throw SessionError(resuming: Refusal("it was begun by a request with another method or URL"))
        }
        do {
            let part = try PartialFile(resuming: resumption, calls)
            state.withLock { state in
                state.part = part
                state.validator = .success(resumption.validator)
                state.length = resumption.expectedBytes
            }
        } catch {
            throw SessionError(error)
        }
        request.fields["Range"] = "bytes=\(resumption.start)-"
        request.fields["If-Range"] = resumption.validator.value
    }

    /// Where the body of an accepted response goes.
    func open(_ head: ResponseHead) -> Result<PartialFile, SessionError> {
        do {
            return .success(try resumed(head) ?? begun(head))
        } catch let failure as FileFailure {
            return .failure(SessionError(failure))
        } catch let refusal as Refusal {
            return .failure(SessionError(resuming: refusal))
        } catch {
            let words = "choosing it failed with \(type(of: error))"
            return .failure(SessionError(FileFailure(name: "the destination", .other(words))))
        }
    }

    /// Ends the try: what was written is removed, or kept where it can be gone on with, and then the error says how.
    func failed(_ failure: SessionError) -> SessionError {
        state.withLock { state in
            var error = failure
            if let part = state.part {
                if part.hasName {
                    // Where it is a file by now, there is no part to go on with.
                    state.resumption = nil
                } else {
                    settle(part, &error, &state)
                    // For good: the next try may fail before it has one of its own.
                    state.part = nil
                }
            }
            // It is not the file that it was, and never will be.
            if let cause = failure.cause as? FileFailure, cause.act == .resumed, cause.systemCode == nil {
                state.resumption = nil
            }
            error.facts.resumption = state.resumption
            return error
        }
    }

    private func settle(_ part: PartialFile, _ error: inout SessionError, _ state: inout State) {
        // A part that this try has not touched is as good as it was.
        guard part.isTouched else { return part.letGo() }
        state.resumption = nil
        let isRefused = [.bodyTooLarge, .validation, .lookup, .serialization].contains(error.code)
        guard let validator = state.validator, !isRefused, part.count > 0 else { return part.discard() }
        switch validator {
        case .failure(let refusal):
            part.discard()
            error.facts.reason += "; it cannot be resumed: \(refusal.reason)"
        case .success(let validator):
            guard let mark = part.keep() else { return }
            state.resumption = DownloadResumption(
                file: part.url, expectedBytes: state.length, partName: part.part, replacesFile: part.replaces,
                isTemporary: part.isTemporary, mark: mark, validator: validator, target: state.target)
        }
    }

    /// The file that was begun, ready for what the response has of it; nil where none was.
    private func resumed(_ head: ResponseHead) throws -> PartialFile? {
        try state.withLock { state in
            guard let resumption = state.resumption, let part = state.part else { return nil }
            if head.status == 206 {
                let (end, length) = try resumption.check(head)
                state.length = length
                try part.cut(to: resumption.start, end: end, expecting: length)
                return part
            }
            guard head.status == 200 else { throw Refusal("the status is \(head.status), neither 206 nor 200") }
            // There is another version by now, or the server knows no ranges.
            try part.cut(to: 0)
            describe(head, &state)
            return part
        }
    }

    private func begun(_ head: ResponseHead) throws -> PartialFile {
        let (url, options) = try destination.resolve(head)
        let part = try PartialFile(url, options, calls)
        state.withLock { state in
            state.part = part
            if options.isResumable || destination.isResumable { describe(head, &state) }
        }
        return part
    }

    /// Notes how the bytes of this response could be joined to those of a later one.
    private func describe(_ head: ResponseHead, _ state: inout State) {
        state.length = head.fields["Content-Length"].flatMap { Int($0) }
        do throws(Refusal) {
            guard head.request.method == "GET" else { throw Refusal("its method is not GET") }
            guard head.status == 200 else { throw Refusal("the status is \(head.status), not 200") }
            guard !head.fields.hasContentCoding else { throw Refusal("the response has a content coding") }
            state.validator = .success(try StrongValidator(head.fields))
        } catch {
            state.validator = .failure(error)
        }
    }

    private static func digest(_ request: OutgoingRequest) -> String {
        var digest = TextDigest()
        digest.add(request.method)
        digest.add(request.url.absoluteString)
        return digest.hexadecimal
    }
}
