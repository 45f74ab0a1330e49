import PatchbayPlatform
import Synchronization

/// The memory of one tape: from malloc or, if it is large, from the system.
///
/// The system clears each page when it is first written to, which takes longer than parsing the text of that page. So
/// large memory is requested in large pages, and up to two blocks of at most 8 MiB each are kept for later tapes.
struct TapeMemory {
    let start: UnsafeMutableRawPointer
    /// The size of a mapping; 0 for a block of malloc.
    private let mapped: Int

    /// Nil if there is no memory.
    static func take(_ size: Int) -> TapeMemory? {
        #if os(Linux)
            if size >= largePage { return idle(first, size) ?? idle(second, size) ?? map(size) }
        #endif
        return malloc(size).map { TapeMemory(start: $0, mapped: 0) }
    }

    /// Frees the memory, or keeps it for a later tape.
    func giveBack() {
        #if os(Linux)
            if mapped > 0 { return keep() }
        #endif
        free(start)
    }

    #if os(Linux)
        /// The size of a large page. The address of a large page is a multiple of it.
        private static let largePage = 2 << 20
        static let largestIdle = 8 << 20
        /// The addresses of two kept blocks, the newer one first; 0 for none. The first word of a block contains its
        /// size.
        ///
        /// Two tapes must not get one block, and a tape must not read the size of a block before the size is written.
        /// The exchanges ensure both: an address is only exchanged, so only one thread gets an address. The exchange
        /// that stores an address releases, and the exchange that takes the address acquires. An address that comes
        /// back meanwhile is harmless, because no address is compared.
        private static let first = Atomic<UInt>(0)
        private static let second = Atomic<UInt>(0)

        /// A kept block, if it is large enough. A block that is too small is unmapped, so that a larger one can take
        /// its place.
        private static func idle(_ slot: borrowing Atomic<UInt>, _ size: Int) -> TapeMemory? {
            let address = slot.exchange(0, ordering: .acquiring)
            guard let start = UnsafeMutableRawPointer(bitPattern: address) else { return nil }
            let block = TapeMemory(start: start, mapped: start.load(as: Int.self))
            if size <= block.mapped { return block }
            munmap(start, block.mapped)
            return nil
        }

        private func keep() {
            guard mapped <= Self.largestIdle else {
                munmap(start, mapped)
                return
            }
            start.storeBytes(of: mapped, as: Int.self)
            let former = Self.first.exchange(UInt(bitPattern: start), ordering: .acquiringAndReleasing)
            let oldest = former == 0 ? 0 : Self.second.exchange(former, ordering: .acquiringAndReleasing)
            guard let oldest = UnsafeMutableRawPointer(bitPattern: oldest) else { return }
            munmap(oldest, oldest.load(as: Int.self))
        }

        private static func map(_ size: Int) -> TapeMemory? {
            // No system has small pages of more than 64 KiB.
            let pages = (size & ~0xFFFF).addingReportingOverflow(0x10000 + largePage)
            guard !pages.overflow,
                let whole = mmap(nil, pages.partialValue, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                whole != MAP_FAILED
            else { return nil }
            // The pages before and after the block are unmapped immediately.
            let before = (0 &- Int(bitPattern: whole)) & (largePage - 1)
            let mapped = pages.partialValue - largePage
            let start = whole + before
            if before > 0 { munmap(whole, before) }
            munmap(start + mapped, largePage - before)
            madvise(start, mapped, MADV_HUGEPAGE)
            return TapeMemory(start: start, mapped: mapped)
        }
    #endif
}
