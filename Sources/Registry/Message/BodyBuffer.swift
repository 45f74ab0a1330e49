import PatchbayPlatform

/// Memory for one body, grown while chunks arrive and always followed by 64 zero bytes once it is finished.
///
/// `@unchecked Sendable`: a malloc block. Only `append`, `removeAll` and `finish` write to it, and all are called by the one owner
/// before the block is shared as a `ResponseBody`; from then on every access is a read.
package final class BodyBuffer: @unchecked Sendable {
    package static let padding = 64

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
