public import PatchbayRegistry

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One thing that happened to a call or to its manager.
public struct SessionEvent: Sendable {
    /// What happened, in the order in which it usually does.
    public enum Stage: Sendable {
        /// The task was made.
        case created
        /// It was started, or goes on.
        case resumed
        case suspended
        /// It was cancelled; `finished` follows.
        case cancelled
        /// The interceptors have made the request what it is; only told where there are any.
        case adapted(HTTPRequest)
        /// A request goes to the transport: the first, and one more for each redirect and each retry.
        case sending(RequestHead)
        /// So many more bytes of the request's body were handed to the network.
        case sent(bytes: Int)
        /// The response was a redirect, which is followed to the URL.
        case redirected(ResponseHead, to: URL)
        /// The head of the response arrived and the registry decided who serializes it.
        case head(Decision)
        /// So many more bytes of the response's body arrived, after content decoding.
        case received(bytes: Int)
        /// The call failed and is tried again now.
        case retrying(after: SessionError)
        /// The value was made: by the entry, or by none.
        case serialized(entry: String?, SerializedOutcome)
        /// The call ended. Told once for every call, last.
        case finished(Result<Reply<any Sendable>, SessionError>)
        /// The manager was invalidated and its last task has ended.
        case invalidated
    }

    /// The call; nil where the manager itself is meant.
    public let task: SessionTask?
    public internal(set) var stage: Stage
}

extension SessionEvent.Stage {
    /// Two counts of bytes as one; nil for anything else.
    func adding(_ next: Self) -> Self? {
        switch (self, next) {
        case (.sent(let bytes), .sent(let more)): .sent(bytes: bytes + more)
        case (.received(let bytes), .received(let more)): .received(bytes: bytes + more)
        default: nil
        }
    }
}
