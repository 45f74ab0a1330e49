#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The bytes of one response body: contiguous, immutable, shared without copies.
///
/// At least 64 readable zero bytes follow the last one, so that a vectorised reader needs no copy of its own.
public struct ResponseBody: Sendable {
    private let buffer: BodyBuffer?
    /// The length in bytes, after content decoding.
    public let count: Int
    /// The bytes as `Data`, without a copy. Writing to a copy of it never reaches this body.
    public let data: Data

    /// The body of no bytes.
    public static let empty = ResponseBody([])

    /// Copies the bytes once, into padded memory.
    public init(_ bytes: some ContiguousBytes) {
        self = bytes.withUnsafeBytes { bytes in
            let buffer = BodyBuffer(expected: bytes.count)
            return buffer.append(bytes) && buffer.base != nil ? buffer.finish() : ResponseBody(finished: nil)
        }
    }

    package init(_ buffer: BodyBuffer) { self.init(finished: buffer) }

    private init(finished buffer: BodyBuffer?) {
        self.buffer = buffer
        count = buffer?.count ?? 0
        guard let buffer, let base = buffer.base, buffer.count > 0 else {
            data = Data()
            return
        }
        // The deallocator keeps the block alive for as long as any copy of the Data is.
        data = Data(
            bytesNoCopy: base, count: buffer.count, deallocator: .custom { _, _ in withExtendedLifetime(buffer) {} })
    }

    public var isEmpty: Bool { count == 0 }

    /// Lends the bytes for the length of the call.
    public func withBytes<Result, Failure: Error>(_ read: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result
    {
        try read(RawSpan(_unsafeBytes: unsafeBytes))
    }

    /// Lends the bytes as a buffer pointer, behind whose end 64 zero bytes can be read.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ read: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(buffer) {} }
        return try read(unsafeBytes)
    }

    private var unsafeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: buffer?.base, count: count)
    }
}

extension ResponseBody: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.data == right.data }
}

extension ResponseBody: CustomStringConvertible, CustomReflectable {
    /// How many bytes there are, not which: `1,024 bytes`.
    public var description: String { ByteCount(count).description }
    public var customMirror: Mirror { Mirror(described: self) }
}
