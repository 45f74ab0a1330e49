public import PatchbayRegistry

/// Why a call gave no value: one sentence, and everything that is known of the call.
///
/// The description names no header value, no byte of a body and no URL beyond its host.
public struct SessionError: Error, Sendable {
    /// The kinds of failure; open, so that later versions may add to them.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// How far the call had come.
    public enum Stage: String, Sendable {
        case request, transport, redirect, status, validation, lookup, serialization, file
    }

    public let code: Code
    public let stage: Stage
    /// The reason, in plain words.
    public internal(set) var reason: String
    /// The request of the last exchange; nil where none could be made.
    public internal(set) var request: RequestHead?
    /// The head of the response; nil where none arrived.
    public internal(set) var head: ResponseHead?
    /// The look-up of the response; nil where no head arrived.
    public internal(set) var decision: Decision?
    /// For code `status`: the look-up over what was inside the body; nil where no entry unwrapped it.
    public internal(set) var unwrapped: Decision?
    /// The bytes that arrived of a response; nil where no head did.
    public internal(set) var body: ResponseBody?
    /// For code `status`: what the registry made of the body; `ResponseBody` where no entry covers it, nil where that failed.
    public internal(set) var value: (any Sendable)?
    /// The id of the entry that made `value`, or that failed.
    public internal(set) var entry: String?
    /// The entries that were tried on the body and failed.
    public internal(set) var attempts: [Attempt] = []
    /// For code `status`: why the body could not be received or serialized.
    public internal(set) var bodyFailure: (any Error)?
    /// The error underneath: of the transport, a validator, the registry or the request's content.
    public internal(set) var cause: (any Error)?

    /// When the steps of the call were over; nil for an error that no call ended with, as of a late decoding.
    public internal(set) var timeline: Timeline?
    /// How a download that is resumable can go on; nil where nothing of it is kept.
    public internal(set) var resumption: DownloadResumption?
    /// How often the call was tried again before.
    public internal(set) var retries = 0
    /// Whether a redirect took a credential away from the request that failed.
    public internal(set) var droppedCredentials = false

    init(_ code: Code, _ reason: String, stage: Stage = .request, cause: (any Error)? = nil) {
        self.code = code
        self.stage = stage
        self.reason = reason
        self.cause = cause
    }

    /// Every entry asked, with what came of it; empty where no head arrived.
    public var tried: [Asked] {
        if let failure = cause as? LookupFailure ?? bodyFailure as? LookupFailure { return failure.tried }
        return (unwrapped ?? decision)?.tried(after: attempts) ?? []
    }

    /// Makes a value of the body that came with the error, with the registry that the task was created with.
    /// - Throws: `SessionError`; code `noBody` where no response arrived.
    public func decode<Value: Sendable>(as type: Value.Type) throws(SessionError) -> Value {
        guard let decision, let body else {
            throw SessionError(.noBody, "there is no response to decode: \(reason)", stage: stage, cause: self)
        }
        return try LateDecoding(decision, body).value(as: type)
    }
}

extension SessionError.Code {
    /// The request breaks a rule and was not sent.
    public static let invalidRequest = Self(rawValue: "invalidRequest")
    /// An interceptor threw instead of giving a request to send; `cause` is what it threw.
    public static let adaptation = Self(rawValue: "adaptation")
    /// The call failed, and an interceptor gave a reason not to try it again; `cause` is a `RetryFailure`.
    public static let retryFailed = Self(rawValue: "retryFailed")
    /// The exchange could not be carried out; `cause` is a `TransportFailure`.
    public static let transport = Self(rawValue: "transport")
    /// The source of the content failed while it was sent; `cause` is what it threw.
    public static let unreadableContent = Self(rawValue: "unreadableContent")
    /// No byte moved for the idle timeout.
    public static let idleTimeout = Self(rawValue: "idleTimeout")
    /// The call took longer than the total timeout.
    public static let totalTimeout = Self(rawValue: "totalTimeout")
    public static let cancelled = Self(rawValue: "cancelled")
    /// The call was made after its manager was invalidated.
    public static let invalidated = Self(rawValue: "invalidated")
    /// A redirect led to where no redirect may lead.
    public static let redirectRefused = Self(rawValue: "redirectRefused")
    public static let tooManyRedirects = Self(rawValue: "tooManyRedirects")
    /// The status is not acceptable; the body is decoded in `value`.
    public static let status = Self(rawValue: "status")
    /// A validator of the request refused the response; `cause` is what it threw.
    public static let validation = Self(rawValue: "validation")
    /// The body outgrew the limit of the policy or of its entry.
    public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
    /// No entry serializes the response, or none makes the wanted type; `cause` is a `LookupFailure`.
    public static let lookup = Self(rawValue: "lookup")
    /// An entry took the body and failed; `cause` is a `LookupFailure`.
    public static let serialization = Self(rawValue: "serialization")
    /// The file of a download could not be written, read again or resumed; `cause` is a `FileFailure`.
    public static let file = Self(rawValue: "file")
    /// The response is not the rest of the file that is to be resumed, or the request is for another one.
    public static let resumption = Self(rawValue: "resumption")
    /// A late decoding was asked for and no response had arrived.
    public static let noBody = Self(rawValue: "noBody")
}

extension SessionError: CustomStringConvertible {
    public var description: String {
        guard let request, let host = request.url.host() else { return reason }
        return "\(request.method) \(host): \(reason)"
    }
}
