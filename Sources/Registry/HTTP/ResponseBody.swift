public import PatchbayJSON
public import PatchbayPlatform

/// The bytes of one response body: contiguous, immutable, shared without copies.
///
/// 64 zero bytes that can be read follow the last one: as many as simdjson reads behind a text, so that it needs no copy.
public struct ResponseBody: Sendable {
    /// The bytes, and the `Data` of them, which is made when it is first asked for and then kept.
    ///
    /// A `Data` that is the only reference to memory it may write to writes in place, and so would change a body that others read.
    /// The one that is kept here is a second reference, so that every copy that is written to is copied first.
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

    package static let empty = ResponseBody([])

    /// The body of no bytes.
    public init() { self = .empty }

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
    /// How many bytes there are, not which: `1,024 bytes`.
    public var description: String { ByteCount(count).description }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// Memory for one body, grown while chunks arrive and always followed by 64 zero bytes once it is finished.
///
/// `@unchecked Sendable`: a malloc block, and one thread could write while another reads, or grow it under a pointer. Only `append`,
/// `removeAll` and `finish` write or grow, and all are called by the one owner before the block is shared as a `ResponseBody`; from
/// then on nobody has a way to write.
package final class BodyBuffer: @unchecked Sendable {
    /// What the JSON parser reads behind a body.
    package static var padding: Int { JSON.padding }

    private(set) var base: UnsafeMutableRawPointer?
    package private(set) var count = 0
    private var capacity = 0

    /// - Parameter expected: how many bytes are announced; a hint, never trusted beyond 1 MiB.
    package init(expected: Int = 0) {
        _ = reserve(min(max(expected, 0), 1 << 20))
    }

    deinit { free(base) }

    /// Copies the chunk to the end; false where there is no memory for it, and then nothing has changed.
    package func append(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard let source = chunk.baseAddress, !chunk.isEmpty else { return true }
        let (needed, overflow) = count.addingReportingOverflow(chunk.count)
        guard !overflow, reserve(needed), let base else { return false }
        memcpy(base + count, source, chunk.count)
        count = needed
        return true
    }

    /// The bytes so far, until more are appended or the buffer is gone.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Forgets the bytes and keeps the memory for others.
    func removeAll() { count = 0 }

    /// Ends writing: zeroes the padding and shares the block.
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

/// A number of bytes as a person writes it: `1 byte`, `1,024 bytes`.
package struct ByteCount: CustomStringConvertible {
    package let description: String

    package init(_ count: some BinaryInteger) {
        description = Self.grouped(count) + (count == 1 ? " byte" : " bytes")
    }

    /// The digits in groups of three, which no locale changes.
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
