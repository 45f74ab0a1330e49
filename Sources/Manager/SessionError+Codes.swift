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
    /// The call's task, or the task around it, was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The call was made after its manager was invalidated.
    public static let invalidated = Self(rawValue: "invalidated")
    /// A redirect led to where no redirect may lead.
    public static let redirectRefused = Self(rawValue: "redirectRefused")
    /// There were more redirects than the configuration follows.
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
    /// The elements of a stream were asked for by a second loop.
    public static let alreadyRead = Self(rawValue: "alreadyRead")
    /// A late decoding was asked for and no response had arrived.
    public static let noBody = Self(rawValue: "noBody")
}
