import PatchbayRegistry

/// A response at rest: its head and decision, and as much of its body as arrived.
struct ExchangeResult: Sendable {
    let decision: Decision
    let body: ResponseBody
    /// Where the body is, if it went into a file, which has no name yet.
    let file: PartialFile?
    /// Why the body is not complete; nil where it is.
    let bodyFailure: SessionError?
    let timings: ExchangeTimings
    let headTime: Duration
    let bodyTime: Duration
    let redirects: Int
}
