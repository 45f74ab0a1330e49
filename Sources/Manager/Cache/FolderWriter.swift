import PatchbayPlatform
import PatchbayRegistry

/// The body of a response on its way into a file of a `FolderStore`: a queue writes each block that is full, and at the end
/// the rest and the head.
final class FolderWriter: ResponseWriter {
    private struct State: Sendable {
        /// The length of the body.
        var count = 0
        /// The block that is not full yet.
        var block: [UInt8] = []
        /// The number of bytes in full blocks that the disk has not taken yet.
        var waiting = 0
        /// The reason that the response is not stored.
        var refusal: String?
        /// Nil before the first block is written, and while the queue works with it.
        var part: StoredPart?
    }

    private static let mostWaiting = 16 << 20

    let head: StoredHead
    private let store: FolderStore
    private let name: StoredName
    private let bytes: [UInt8]
    private let target: (folder: StoredFolder, layout: StoredLayout)?
    private let queue: IOExecutor.SerialQueue
    /// Held until the file of the response is closed.
    private let slot: OpenSlot?
    private let state = Guarded(State())

    init(_ store: FolderStore, _ url: KeyedDigest.Value, _ head: StoredHead) {
        let (bytes, folder) = (head.bytes, store.folder)
        (self.store, self.head, self.bytes, queue) = (store, head, bytes, store.queue())
        name = StoredName(url: url, variant: head.variant.digest)
        let layout = (try? folder.get()).flatMap { StoredLayout(head: bytes, url, $0.digest) }
        target = (try? folder.get()).flatMap { folder in layout.map { (folder, $0) } }
        slot = store.slot()
        if case .failure(let refusal) = folder {
            refuse(refusal.reason)
        } else if !hasRoom(for: 0) {
            refuse("")
        } else if slot == nil {
            refuse("too many responses are stored at once")
        }
    }

    private func hasRoom(for count: Int) -> Bool { target.map { $0.layout.size(count) <= store.limit } == true }

    private func refuse(_ reason: String) {
        let isWritten = state.withLock { state in
            (state.refusal, state.block) = (state.refusal ?? reason, [])
            return state.part != nil || state.waiting > 0
        }
        // Removes what is written.
        if isWritten { queue.enqueue { _ = self.work { _, _, _ in } } }
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        let (full, first, refusal) = state.withLock { state -> ([[UInt8]], Int, String?) in
            guard state.refusal == nil else { return ([], 0, nil) }
            let first = state.count / StoredLayout.blockSize
            state.count += bytes.count
            guard hasRoom(for: state.count) else { return ([], 0, "") }
            let isLate = state.waiting > Self.mostWaiting
            var (full, rest): ([[UInt8]], UnsafeRawBufferPointer.SubSequence) = ([], bytes[...])
            while !rest.isEmpty {
                let piece = rest.prefix(StoredLayout.blockSize - state.block.count)
                state.block += piece
                rest = rest.dropFirst(piece.count)
                guard state.block.count == StoredLayout.blockSize else { break }
                full.append(state.block)
                state.block = []
            }
            state.waiting += full.count * StoredLayout.blockSize
            return (full, first, isLate ? "the disk is slower than the network" : nil)
        }
        if let refusal { refuse(refusal) }
        for (number, block) in full.enumerated() {
            queue.enqueue {
                self.write(block, first + number)
            } orRefuse: {
                self.refuse(self.queue.executor.exhaustion)
            }
        }
    }

    private func write(_ block: [UInt8], _ number: Int) {
        _ = work { _, layout, part throws(FileFailure) in
            try part.write(layout.sealed(block, at: layout.start(ofBlock: number)), at: layout.start(ofBlock: number))
        }
        state.withLock { $0.waiting -= block.count }
        queue.noteProgress()
    }

    /// Works with the part file. Removes it if the response is not stored, and returns the reason.
    private func work(
        isLast: Bool = false, _ work: (StoredFolder, StoredLayout, StoredPart) throws(FileFailure) -> Void
    ) -> String? {
        var (part, refusal) = state.withLock { ($0.part.take(), $0.refusal) }
        if let target, refusal == nil {
            do throws(FileFailure) {
                if part == nil { part = try target.folder.part() }
                guard let open = part else { return nil }
                try work(target.folder, target.layout, open)
                if !isLast { state.withLock { $0.part = open } }
                return nil
            } catch {
                // The next request makes the folder again.
                if error.cause == .system(ENOENT) { store.close() }
                refusal = "\(error)"
                refuse("\(error)")
            }
        }
        part?.discard()
        return refusal ?? ""
    }

    func finish(replacing replaces: @escaping @Sendable (StoredHead) -> Bool, until stop: OneShot) async -> String? {
        if let reason = await store.wait(until: stop, for: queue, { self.conclude(replaces) }) { return reason }
        refuse(stop.hasFired ? "" : "the disk does not answer")
        return state.withLock(\.refusal)
    }

    private func conclude(_ replaces: (StoredHead) -> Bool) -> String? {
        let (count, block) = state.withLock { ($0.count, $0.block) }
        return work(isLast: true) { folder, layout, part throws(FileFailure) in
            if !block.isEmpty {
                let start = layout.start(ofBlock: count / StoredLayout.blockSize)
                try part.write(layout.sealed(block, at: start), at: start)
            }
            // The head comes last: a file without it is not whole.
            try part.write(layout.preamble + (layout.slot(0, 0, bytes, length: count) ?? []), at: 0)
            if count == 0 { try part.write([0], at: layout.size(0) - 1) }
            try part.finish(as: name.text)
            for other in store.names(name.url) where other != name {
                guard let file = store.file(other, in: folder) else { continue }
                if replaces(file.head) { store.remove(other, in: folder) }
                file.close()
            }
            store.add(name, layout.size(count), in: folder)
        }
    }

    func abandon() { refuse("the call has ended") }
}
