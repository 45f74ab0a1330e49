/// The one shared owner of a tape, so that a value is a reference and an index.
final class Document: Sendable {
    let tape: Tape

    init(_ tape: Tape) { self.tape = tape }
}
