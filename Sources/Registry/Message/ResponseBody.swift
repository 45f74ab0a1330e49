public import PatchbayPlatform

/// The bytes of one response body: contiguous, immutable, shared without copies.
///
/// At least 64 readable zero bytes follow the last one, so that a vectorised reader needs no copy of its own.
public struct ResponseBody: Sendable {
    /// The bytes, and the `Data` of them, which is made when it is first asked for and then kept: were it the only one, writing to
    /// it would be writing to the bytes.
    private final class Storage: Sendable {
        let buffer: BodyBuffer
        private let made = Guarded<Data?>(nil)

        init(_ buffer: BodyBuffer) { self.buffer = buffer }

        var data: Data {
            made.withLock { [buffer] made in
                if let made { return made }
                guard let base = buffer.base, buffer.count > 0 else { return Data() }
                // The deallocator keeps the block alive for as long as any copy of the Data is.
                let data = Data(
                    bytesNoCopy: base, count: buffer.count,
                    deallocator: .custom { _, _ in withExtendedLifetime(buffer) {} })
                made = data
                return data
            }
        }
    }

    private let storage: Storage?
    /// The length in bytes, after content decoding.
    public let count: Int

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
        storage = buffer.map { Storage($0) }
        count = buffer?.count ?? 0
    }

    /// The bytes as `Data`, without a copy. Writing to a copy of it never reaches this body.
    public var data: Data { storage?.data ?? Data() }

    /// Whether no bytes were received.
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
        defer { withExtendedLifetime(storage) {} }
        return try read(unsafeBytes)
    }

    private var unsafeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: storage?.buffer.base, count: count)
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
