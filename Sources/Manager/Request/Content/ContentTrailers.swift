import PatchbayRegistry

/// Trailer fields, which are sent after the content of a request (RFC 9110, section 6.5).
struct ContentTrailers: Sendable {
    /// The names of the fields, which the `Trailer` field of the head announces.
    let names: [String]
    let make: @Sendable () throws -> HeaderFields

    /// Makes the fields and checks them.
    func fields() throws -> HeaderFields {
        let fields = try make()
        for field in fields where !names.haveField(field.name) {
            throw ContentFailure(.invalidTrailer, "a field behind it was not announced")
        }
        do throws(Refusal) { try RequestCheck.check(fields) } catch {
            throw ContentFailure(.invalidTrailer, "behind it \(error.reason)")
        }
        return fields
    }
}
