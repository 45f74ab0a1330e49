public import PatchbayJSON
public import PatchbayPlatform

/// The bytes of one response body: contiguous, immutable, shared without copies.
///
/// 64 readable zero bytes follow the last byte. simdjson reads this many bytes after a text, so it needs no copy.
public struct ResponseBody: Sendable {
    /// The bytes, and a `Data` with the same memory, which is made at its first use and then kept.
    ///
    /// A `Data` that holds the only reference to its memory changes this memory without a copy, which would change a
    /// shared body. `made` keeps a second reference, so a returned `Data` is copied before it is changed.
    private final class Storage: Sendable {
        let buffer: BodyBuffer
        private let made = Guarded<Data?>(nil)

        init(_ buffer: BodyBuffer) { self.buffer = buffer }

        var data: Data {
            made.withLock { [buffer] made in
                if let made { return made }
                guard let base = buffer.base, buffer.count > 0 else { return Data() }
                // The deallocator keeps the block alive as long as any copy of the Data.
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

    package static let empty = ResponseBody([])

    /// The empty body.
    public init() { self = .empty }

    /// Copies the bytes into memory with padding after the last byte.
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

    /// The bytes as `Data`, without a copy. Changing this `Data` never changes the body.
    public var data: Data { storage?.data ?? Data() }

    /// Whether no bytes were received.
    public var isEmpty: Bool { count == 0 }

    /// Calls `read` with the bytes, which are valid only during the call.
    public func withBytes<Result, Failure: Error>(_ read: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result
    {
        try read(RawSpan(_unsafeBytes: unsafeBytes))
    }

    /// Calls `read` with the bytes as a buffer pointer. 64 zero bytes can be read after its end.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ read: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(storage) {} }
        return try read(unsafeBytes)
    }

    private var unsafeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: storage?.buffer.base, count: count)
    }
}

extension JSON {
    /// Parses the body of a response by the same rules as other bytes.
    /// - Throws: `FormatFailure` of the format `json`, with line, column and offset.
    public init(parsing body: ResponseBody, options: ParseOptions = .init()) throws(FormatFailure) {
        do throws(ParseFailure) {
            self = try body.withUnsafeBytes { bytes throws(ParseFailure) in
                try JSON(parsingPadded: bytes, options: options)
            }
        } catch {
            throw error.formatFailure
        }
    }
}

extension ResponseBody: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.data == right.data }
}

extension ResponseBody: CustomStringConvertible, CustomReflectable {
    /// The number of bytes, never the bytes: `1,024 bytes`.
    public var description: String { ByteCount(count).description }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// The memory of one body, which grows while chunks arrive, and ends with 64 zero bytes when it is finished.
///
/// `@unchecked Sendable`: the class wraps a malloc block, which one thread could write or move while another reads.
/// Only `append`, `removeAll`, `removeFirst` and `finish` write or grow the block, and its single owner calls them
/// before the block is shared as a `ResponseBody`. No function writes to a shared block.
package final class BodyBuffer: @unchecked Sendable {
    /// The number of bytes that the JSON parser reads after a body.
    package static var padding: Int { JSON.padding }

    // Without the exclusivity check at run time, because no function here calls back into its owner.
    @exclusivity(unchecked) private(set) var base: UnsafeMutableRawPointer?
    @exclusivity(unchecked) package private(set) var count = 0
    private var capacity = 0

    /// - Parameter expected: the announced number of bytes, a hint that is used up to 1 MiB.
    package init(expected: Int = 0) {
        _ = reserve(min(max(expected, 0), 1 << 20))
    }

    deinit { free(base) }

    /// Appends a chunk. Returns false and changes nothing if there is no memory.
    package func append(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard let source = chunk.baseAddress, !chunk.isEmpty else { return true }
        let (needed, overflow) = count.addingReportingOverflow(chunk.count)
        guard !overflow, reserve(needed), let base else { return false }
        memcpy(base + count, source, chunk.count)
        count = needed
        return true
    }

    /// The bytes so far. They are valid until more bytes are appended or the buffer is released.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Drops the bytes and keeps the memory.
    func removeAll() { count = 0 }

    /// Drops the first bytes and keeps the memory. `number` is at most `count`.
    func removeFirst(_ number: Int) {
        guard number > 0, let base else { return }
        count -= number
        memmove(base, base + number, count)
    }

    /// Ends the writing: clears the padding and shares the block.
    package func finish() -> ResponseBody {
        guard let base else { return .empty }
        memset(base + count, 0, Self.padding)
        return ResponseBody(self)
    }

    private func reserve(_ needed: Int) -> Bool {
        guard base == nil || needed > capacity else { return true }
        let (doubled, overflow) = capacity.multipliedReportingOverflow(by: 2)
        let target = max(needed, overflow ? needed : doubled, 256)
        let (size, tooLarge) = target.addingReportingOverflow(Self.padding)
        guard !tooLarge, let grown = realloc(base, size) else { return false }
        base = grown
        capacity = target
        return true
    }
}

/// A number of bytes in words: `1 byte`, `1,024 bytes`.
package struct ByteCount: CustomStringConvertible {
    package let description: String

    package init(_ count: some BinaryInteger) {
        description = Self.grouped(count) + (count == 1 ? " byte" : " bytes")
    }

    /// The digits in groups of three, independent of the locale.
    package static func grouped(_ count: some BinaryInteger) -> String {
        let digits = Array("\(count.magnitude)")
        var text = count < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
