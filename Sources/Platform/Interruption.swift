import CPatchbayFiles

/// Lets the loops of the built-in serializers see that their value is no longer needed.
///
/// A call begins an interruption, makes its value on one thread without awaiting, and ends the interruption. Meanwhile,
/// the loops ask between two elements. Outside of a call nothing is set, and a loop runs to its end: the JSON module
/// doesn't look at the task that runs it.
package struct Interruption {
    private let outer: patchbay_interruption

    /// Lets the work of this thread stop as soon as its owner is over. An interruption that begins inside another one
    /// replaces it until its own end.
    ///
    /// The thread holds a plain pointer, which keeps nothing alive: `owner` must live until `end()`.
    /// - Parameter isOver: gets `owner`. It is called on this thread, many times.
    package static func begin(
        for owner: AnyObject, _ isOver: @convention(c) (UnsafeRawPointer) -> Bool
    ) -> Interruption {
        let owner = UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
        return Interruption(
            outer: patchbay_exchange_interruption(patchbay_interruption(is_over: isOver, owner: owner)))
    }

    /// Ends the interruption, and returns what `isNoticed` was. Must be called on the same thread, also after an error.
    @discardableResult
    package func end() -> Bool { patchbay_end_interruption(outer) }

    /// Whether a loop has seen that the owner is over. Its value is then missing or incomplete, even if another
    /// serializer has made a value instead.
    package static var isNoticed: Bool { patchbay_has_noticed_interruption() }

    /// Whether the owner of the work of this thread is over. A loop that gets true must stop.
    package static var isOver: Bool { patchbay_is_interrupted() }

    /// Stops a loop whose owner is over.
    package static func check() throws(CancellationError) {
        if patchbay_is_interrupted() { throw CancellationError() }
    }
}
