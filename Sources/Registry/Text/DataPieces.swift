#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The pieces of a body as they come: the elements of a stream of `Data`.
package struct DataPieces: ElementParser {
    package init() {}

    package mutating func parse(_ bytes: Span<UInt8>, emit: (Data) throws -> Void) throws {
        guard !bytes.isEmpty else { return }
        try emit(bytes.withUnsafeBufferPointer { Data(buffer: $0) })
    }

    package mutating func finish(emit: (Data) throws -> Void) throws {}
}
