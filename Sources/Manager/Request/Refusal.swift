/// Why a request or a redirect is refused, in the words that end the error's sentence.
struct Refusal: Error, Hashable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}
