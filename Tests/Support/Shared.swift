import PatchbayPlatform
import PatchbayRegistry

/// A value behind a lock that has no one owner.
package final class Shared<Value: Sendable>: Sendable {
    private let value: Guarded<Value>

    package init(_ value: Value) { self.value = Guarded(value) }

    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try value.withLock(body)
    }
}
