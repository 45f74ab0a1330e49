import PatchbayRegistry

/// Why a call that failed could not be tried again, and what had failed first.
public struct RetryFailure: Error, Sendable {
    /// What the interceptor gave as its reason.
    public let error: any Error
    /// The failure that the interceptor was asked about.
    public let original: SessionError
}

extension RetryFailure: CustomStringConvertible, CustomReflectable {
    public var description: String { "the call was not tried again after it failed: \(original)" }
    public var customMirror: Mirror {
        Mirror(self, children: ["error": FailureReason(error), "original": original], displayStyle: .struct)
    }
}
