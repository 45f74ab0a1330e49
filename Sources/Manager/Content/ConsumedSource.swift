/// What a task keeps of a source that it sends: its length, for descriptions.
final class ConsumedSource: RequestBodySource {
    let length: Int64?

    init(length: Int64?) { self.length = length }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece { .end }

    func rewind() {}
}
