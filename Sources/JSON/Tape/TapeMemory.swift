import PatchbayPlatform
import Synchronization

/// The memory of one tape: from malloc, or, where it is large, from the system.
///
/// The system clears each page when it is first written to, which takes longer than parsing what fills it. So large memory is
/// asked for in large pages, and up to two blocks of at most 8 MiB each wait, after their tapes, for the next ones.
struct TapeMemory {
    let start: UnsafeMutableRawPointer
    /// The size of a mapping, 0 for a block of malloc.
    private let mapped: Int

    /// Nil where there is no memory.
    static func take(_ size: Int) -> TapeMemory? {
        #if os(Linux)
            if size >= largePage { return idle(first, size) ?? idle(second, size) ?? map(size) }
        #endif
        return malloc(size).map { TapeMemory(start: $0, mapped: 0) }
    }

    /// Ends the use of the memory.
    func giveBack() {
        #if os(Linux)
            if mapped > 0 { return keep() }
        #endif
        free(start)
    }

    #if os(Linux)
        /// What a large page takes, and its address is a multiple of.
        private static let largePage = 2 << 20
        static let largestIdle = 8 << 20
        /// The addresses of two blocks that wait, the newer one first; 0 for none. The size of each is in its first word.
        ///
        /// Two tapes could come to have one block, or read its size before it is written. Neither can happen: an address is only ever
        /// exchanged, so that whoever gets it is the only one who has it, and the exchange that puts it there releases what the one
        /// that takes it acquires. An address that comes back meanwhile does no harm, because nothing is compared with it.
        private static let first = Atomic<UInt>(0)
        private static let second = Atomic<UInt>(0)

        /// A block that waits, if it is large enough. One that is too small goes, so that a larger one can take its place.
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
            // What is mapped too much, before and behind, goes back at once.
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
