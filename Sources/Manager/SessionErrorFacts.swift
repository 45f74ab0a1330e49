import PatchbayRegistry

/// Everything that a `SessionError` knows.
struct SessionErrorFacts: Sendable {
    var code: SessionError.Code
    let stage: SessionError.Stage
    var reason: String
    var request: RequestHead?
    var head: ResponseHead?
    var decision: Decision?
    var unwrapped: Decision?
    var body: ResponseBody?
    var value: (any Sendable)?
    var entry: String?
    var attempts: [Attempt] = []
    var bodyFailure: (any Error)?
    var cause: (any Error)?
    var timeline: Timeline?
    var resumption: DownloadResumption?
    var retries = 0
    /// How often the interceptor that is asked about the error had the call tried again before.
    var ownRetries = 0
    var droppedCredentials = false

    init(_ code: SessionError.Code, _ reason: String, _ stage: SessionError.Stage, cause: (any Error)?) {
        self.code = code
        self.stage = stage
        self.reason = reason
        self.cause = cause
    }

    /// The response that it is about.
    mutating func add(_ head: ResponseHead) {
        self.head = head
        request = head.request
    }

    /// The response, its look-up and what arrived of its body.
    mutating func add(_ decision: Decision, _ body: ResponseBody) {
        self.decision = decision
        self.body = body
        add(decision.head)
    }
}
