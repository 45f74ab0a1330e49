import PatchbayPlatform
import PatchbayRegistry

/// The name of the file of a stored response: the digest of its URL and that of its variant.
struct StoredName: Sendable, Hashable {
    let url: KeyedDigest.Value
    let variant: UInt64

    var text: String { "\(url.text)-\(variant.hexadecimal)" }
}

extension StoredName {
    /// Returns nil for bytes that are not exactly the text of a name.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 49 else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.dropFirst(16).prefix(16), radix: 16),
            let variant = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(url: KeyedDigest.Value(high: high, low: low), variant: variant)
        guard self.text.utf8.elementsEqual(bytes) else { return nil }
    }
}

/// Where the parts of the file of a stored response are, and their checksums. Numbers have 8 bytes, little-endian.
///
/// 1. The preamble never changes: a magic number, the size of a slot, a random number.
/// 2. Two slots for the head: a checksum, a sequence number, the length of the body, the length of the head, the head. The
///    valid slot with the higher sequence number counts. A validation writes the other one, so that a process that ends
///    in the middle leaves one that is valid.
/// 3. The body, in blocks of 64 KiB, each behind its checksum.
///
/// The key of the checksums depends on the key of the folder, the URL, the preamble and the place in the file. So a file
/// with the name of another one is damaged, and so is a block in the wrong place.
///
/// Files are not written to disk (`fsync`). The system keeps what a process has written, whatever ends the process. What
/// a system that breaks down did not write has a wrong checksum, and the server is asked again.
struct StoredLayout: Sendable {
    static let blockSize = 64 << 10
    private static let preambleSize = 24
    private static let magic: UInt64 = 0x3168_6361_6362_7470
    private static let largestSlot = 1 << 20
    /// The bytes of a slot beside the head.
    private static let slotFields = 32
    /// The bytes by which a validation can make the head longer.
    private static let headRoom = 512

    typealias Content = (slot: Int, sequence: UInt64, length: Int, head: StoredHead)

    let preamble: [UInt8]
    private let slotSize: Int
    private let key: KeyedDigest.Value

    /// The layout of a new file; nil if the head is too long.
    init?(head: [UInt8], _ url: KeyedDigest.Value, _ digest: KeyedDigest) {
        var preamble: [UInt8] = []
        preamble.append(number: Self.magic)
        preamble.append(number: Self.slotFields + head.count + Self.headRoom)
        preamble.append(number: UInt64.random(in: .min ... .max))
        self.init(preamble[...], url, digest)
    }

    /// The layout of the file that begins with the bytes; nil if it is no file of a stored response.
    init?(_ bytes: ArraySlice<UInt8>, _ url: KeyedDigest.Value, _ digest: KeyedDigest) {
        var reader = ByteReader(rest: bytes)
        guard reader.number() == Self.magic, let size = reader.count(), reader.number() != nil,
            (Self.slotFields...Self.largestSlot).contains(size)
        else { return nil }
        (slotSize, preamble) = (size, Array(bytes.prefix(Self.preambleSize)))
        var text = preamble
        text.append(text: url.text.utf8)
        key = digest.value(of: text)
    }

    func start(ofSlot number: Int) -> Int { Self.preambleSize + number * slotSize }
    func start(ofBlock number: Int) -> Int { start(ofSlot: 2) + number * (8 + Self.blockSize) }

    /// The size of a file whose body has this length.
    func size(_ length: Int) -> Int {
        let rest = length % Self.blockSize
        return start(ofBlock: length / Self.blockSize) + (rest == 0 ? 0 : 8 + rest)
    }

    /// The bytes behind their checksum.
    /// - Parameter place: where they are in the file.
    func sealed(_ bytes: [UInt8], at place: Int) -> [UInt8] {
        var sealed: [UInt8] = []
        sealed.reserveCapacity(8 + bytes.count)
        sealed.append(number: bytes.withUnsafeBytes { checksum($0, at: place) })
        return sealed + bytes
    }

    /// The bytes behind a checksum; nil if they are damaged.
    func unsealed(_ bytes: ArraySlice<UInt8>, at place: Int) -> ArraySlice<UInt8>? {
        var reader = ByteReader(rest: bytes)
        let sum = reader.number()
        return sum == reader.rest.withUnsafeBytes { checksum($0, at: place) } ? reader.rest : nil
    }

    private func checksum(_ bytes: UnsafeRawBufferPointer, at place: Int) -> UInt64 {
        let low = key.low &+ UInt64(truncatingIfNeeded: place)
        let digest = KeyedDigest(key: KeyedDigest.Value(high: key.high, low: low))
        return digest.value(of: bytes).low
    }

    /// The bytes of a slot; nil if the head is too long.
    func slot(_ number: Int, _ sequence: UInt64, _ head: [UInt8], length: Int) -> [UInt8]? {
        guard head.count <= slotSize - Self.slotFields else { return nil }
        var bytes: [UInt8] = []
        bytes.append(number: sequence)
        bytes.append(number: length)
        bytes.append(text: head)
        return sealed(bytes, at: start(ofSlot: number))
    }

    /// The content of a slot; nil if it is damaged, or was never written.
    /// - Parameter file: the beginning of the file.
    func content(ofSlot number: Int, in file: [UInt8]) -> Content? {
        let start = start(ofSlot: number)
        guard file.count >= start + slotSize else { return nil }
        let slot = file[start..<start + slotSize]
        var reader = ByteReader(rest: slot.dropFirst(8))
        guard let sequence = reader.number(), let length = reader.count(), let bytes = reader.text(),
            unsealed(slot.prefix(Self.slotFields + bytes.count), at: start) != nil, let head = StoredHead(bytes)
        else { return nil }
        return (number, sequence, length, head)
    }
}

/// An open file of a stored response. It is closed by its owner. Its functions block.
struct StoredFile: Sendable {
    private let folder: StoredFolder
    private let name: StoredName
    private let file: Int32
    /// The second of the last use.
    private let used: Int
    private let layout: StoredLayout
    private let content: StoredLayout.Content
    private let first: ArraySlice<UInt8>

    var head: StoredHead { content.head }
    var length: Int { content.length }

    /// Opens the file, and reads its head and the first block of its body; nil without a file that is of use. A damaged
    /// file is removed.
    init?(_ name: StoredName, in folder: StoredFolder, _ access: Int32 = O_RDONLY) {
        file = folder.calls.openFile(folder.descriptor, name.text, access)
        guard file >= 0 else { return nil }
        var status = stat()
        let isOwn = fstat(file, &status) == 0 && status.isOwnFile
        guard isOwn, let read = Self.read(file, Int(clamping: status.st_size), name, folder) else {
            if isOwn { folder.remove(name, ifItIs: file) }
            SystemCall.close(file)
            return nil
        }
        (self.name, self.folder, used) = (name, folder, status.lastWritten.tv_sec)
        (layout, content, first) = read
    }

    private static func read(
        _ file: Int32, _ size: Int, _ name: StoredName, _ folder: StoredFolder
    ) -> (StoredLayout, StoredLayout.Content, ArraySlice<UInt8>)? {
        // One call reads all of a small file.
        guard var bytes = folder.calls.bytes(of: file, at: 0, min(size, StoredLayout.blockSize + (8 << 10))),
            let layout = StoredLayout(bytes[...], name.url, folder.digest)
        else { return nil }
        let needed = min(size, layout.start(ofBlock: 1))
        if bytes.count < needed { bytes = folder.calls.bytes(of: file, at: 0, needed) ?? [] }
        let slots = [0, 1].compactMap { layout.content(ofSlot: $0, in: bytes) }
        guard let last = slots.max(by: { $0.sequence < $1.sequence }), last.length <= size,
            layout.size(last.length) == size, bytes.count >= needed
        else { return nil }
        let start = layout.start(ofBlock: 0)
        let block = last.length == 0 ? [] : layout.unsealed(bytes[start..<needed], at: start)
        return block.map { (layout, last, $0) }
    }

    /// The body of a file with one block; nil if there are more.
    var wholeBody: ResponseBody? {
        length <= StoredLayout.blockSize ? first.withUnsafeBytes { ResponseBody($0) } : nil
    }

    /// A block of the body. Removes the file, and returns nil, if the block is damaged.
    func block(_ number: Int) -> ArraySlice<UInt8>? {
        guard number > 0 else { return first }
        let start = layout.start(ofBlock: number)
        let count = 8 + min(StoredLayout.blockSize, length - number * StoredLayout.blockSize)
        if let bytes = folder.calls.bytes(of: file, at: start, count), bytes.count == count,
            let block = layout.unsealed(bytes[...], at: start)
        {
            return block
        }
        folder.remove(name, ifItIs: file)
        return nil
    }

    /// Gives the response a new head. Returns false if there is no room for it, or if it could not be written.
    func update(to head: StoredHead) -> Bool {
        guard let bytes = layout.slot(1 - content.slot, content.sequence &+ 1, head.bytes, length: length) else {
            return false
        }
        return folder.calls.write(bytes, to: file, at: layout.start(ofSlot: 1 - content.slot)) == 0
    }

    /// Notes that the response is used now: the files that were not used for the longest time go first. Once in a second,
    /// because it is a write.
    func use() {
        if !isUsedNow { _ = futimens(file, nil) }
    }

    /// Whether a use within this second is noted.
    var isUsedNow: Bool { (0...1).contains(Int(time(nil)) &- used) }

    func close() { SystemCall.close(file) }
}

/// Room for one open file of a store, because each has a descriptor of the process. It is given back when it is released.
final class OpenSlot: Sendable {
    /// The most files of one store that are open at once.
    static let most = 128

    private let giveBack: @Sendable () -> Void

    init(_ giveBack: @escaping @Sendable () -> Void) { self.giveBack = giveBack }

    deinit { giveBack() }
}

/// The body of a stored response that is read from its file while it is used.
final class StoredFileBody: Sendable {
    private let file: StoredFile
    private let slot: OpenSlot
    private let queue: IOExecutor.SerialQueue

    /// - Parameter file: is closed when the body is released.
    init(_ file: StoredFile, _ slot: OpenSlot, on io: IOExecutor) {
        (self.file, self.slot, queue) = (file, slot, IOExecutor.SerialQueue(io))
    }

    deinit {
        queue.enqueue { [file, slot] in
            file.close()
            withExtendedLifetime(slot) {}
        }
    }

    /// The bytes from a place on; nil at the end.
    func block(_ number: Int, until stop: OneShot) async throws(TransportFailure) -> ArraySlice<UInt8>? {
        guard number * StoredLayout.blockSize < file.length else { return nil }
        if number == 0 { return file.block(0) }
        switch await queue.run(until: stop, { [file] in file.block(number) }) {
        case .done(let block?): return block
        case .done(nil): throw TransportFailure(.lostConnection, "the rest of the stored response is damaged")
        case .refused: throw TransportFailure(.lostConnection, queue.executor.exhaustion)
        case .left:
            queue.abandon()
            throw .stoppedCacheHit
        }
    }
}
