/// Takes a value that was made for its cost only, so that making it is not optimised away.
@inline(never)
func keep<Value>(_ value: borrowing Value) {}

/// Something that was to be measured did not work.
struct WorkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
