/// The bytes of a body as they come: the elements of a stream of `Data`, of `[UInt8]` or of `ResponseBody`.
struct Pieces<Piece: Sendable>: ElementParser {
    let make: @Sendable (UnsafeRawBufferPointer) -> Piece

    func parse(_ bytes: Span<UInt8>, emit: (Piece) throws -> Void) throws {
        if !bytes.isEmpty { try emit(bytes.withUnsafeBytes { make($0) }) }
    }

    func finish(emit: (Piece) throws -> Void) throws {}
}
