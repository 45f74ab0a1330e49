/// A parse failure before its line and column have been counted.
struct Fault: Error {
    let reason: JSON.ParseFailure.Reason
    let message: String
    let offset: Int

    /// The failure with its place in the source.
    func located(in source: UnsafeRawBufferPointer) -> JSON.ParseFailure {
        let place = SourceText(bytes: source).position(ofOffset: offset)
        return JSON.ParseFailure(
            reason: reason, message: message, offset: offset, line: place.line, column: place.column)
    }
}
