import CPatchbayCurl
import PatchbayCodings
import PatchbayManager
import PatchbayPlatform

/// A decoder of one content coding, with a library that libcurl has loaded: zlib, brotli or zstd. libcurl's build decides
/// which of them there are.
///
/// libcurl's own decoding accepts a truncated stream (7.88.1, every coding) and refuses a gzip body of several members.
protocol BodyDecoder: AnyObject {
    /// Makes the decoder ready for bytes after the end of its stream. Returns false if the coding has none there.
    func restart() -> Bool
    /// Decodes as much as possible. Drops the bytes that were taken and the memory that was filled. Returns whether the
    /// stream is complete at this position.
    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer
    ) throws(TransportFailure) -> Bool
}

extension ContentCoding {
    /// A decoder for one body; nil if there is no memory or no library.
    func decoder() -> (any BodyDecoder)? {
        guard Libcurl.isReady else { return nil }
        return switch self {
        case .gzip, .deflate: Zlib.loaded.map { ZlibDecoder($0, self) }
        case .brotli: BrotliDecoder.Library.loaded.flatMap { BrotliDecoder($0) }
        case .zstd: ZstdDecoder.Library.loaded.flatMap { ZstdDecoder($0) }
        }
    }
}

extension TransportFailure {
    static let brokenCoding = TransportFailure(.undecodableContent, "the content coding of the body is broken")
}

/// zlib: its functions, and the numbers of its interface.
struct Zlib: Sendable {
    typealias Stream = UnsafeMutablePointer<patchbay_zlib>
    typealias Function = @Sendable @convention(c) (Stream) -> Int32
    typealias Run = @Sendable @convention(c) (Stream, Int32) -> Int32

    static let (ok, streamEnd, bufferError): (Int32, Int32, Int32) = (0, 1, -5)
    static let (noFlush, finish): (Int32, Int32) = (0, 4)
    /// The kinds of streams: deflate alone (RFC 1951), wrapped (RFC 1950), and gzip (RFC 1952).
    static let (bare, wrapped, gzip): (Int32, Int32, Int32) = (-15, 15, 15 + 16)
    static let (version, size) = ("1.2.11", Int32(MemoryLayout<patchbay_zlib>.size))

    let openDecoder: @Sendable @convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32
    let decode: Run
    let reset, closeDecoder: Function
    let openEncoder:
        @Sendable @convention(c) (Stream, Int32, Int32, Int32, Int32, Int32, UnsafePointer<CChar>, Int32) -> Int32
    let bound: @Sendable @convention(c) (Stream, UInt) -> UInt
    let encode: Run
    let closeEncoder: Function

    /// Asked only after libcurl was loaded.
    static let loaded = try? Zlib(
        openDecoder: Libcurl.function("inflateInit2_"), decode: Libcurl.function("inflate"),
        reset: Libcurl.function("inflateReset"), closeDecoder: Libcurl.function("inflateEnd"),
        openEncoder: Libcurl.function("deflateInit2_"), bound: Libcurl.function("deflateBound"),
        encode: Libcurl.function("deflate"), closeEncoder: Libcurl.function("deflateEnd"))

    /// Makes zlib's stream point to the buffers, runs it, and drops what it took and filled.
    static func run(
        _ function: Run, _ flush: Int32, _ stream: Stream, _ input: inout UnsafeRawBufferPointer,
        _ output: inout UnsafeMutableRawBufferPointer
    ) -> Int32 {
        let (given, room) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = given
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = room
        let result = function(stream, flush)
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(Int(given - stream.pointee.avail_in)))
        output = UnsafeMutableRawBufferPointer(rebasing: output.dropFirst(Int(room - stream.pointee.avail_out)))
        return result
    }
}

private final class ZlibDecoder: BodyDecoder {
    private let zlib: Zlib
    private let coding: ContentCoding
    /// At one address, which zlib keeps.
    private let stream = Zlib.Stream.allocate(capacity: 1)
    /// Whether zlib has the stream. This happens at the first byte, which tells the kind of deflate.
    private var isOpen = false

    init(_ zlib: Zlib, _ coding: ContentCoding) {
        (self.zlib, self.coding) = (zlib, coding)
        stream.initialize(to: patchbay_zlib())
    }

    deinit {
        if isOpen { _ = zlib.closeDecoder(stream) }
        stream.deallocate()
    }

    /// A gzip file can have several members (RFC 1952, section 2.2); a zlib stream is always one.
    func restart() -> Bool { coding == .gzip && zlib.reset(stream) == Zlib.ok }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer
    ) throws(TransportFailure) -> Bool {
        if !isOpen {
            guard let first = input.first else { return false }
            isOpen = zlib.openDecoder(stream, kind(first), Zlib.version, Zlib.size) == Zlib.ok
            guard isOpen else { throw .brokenCoding }
        }
        switch Zlib.run(zlib.decode, Zlib.noFlush, stream, &input, &output) {
        case Zlib.streamEnd: return true
        case Zlib.ok, Zlib.bufferError: return false
        default: throw .brokenCoding
        }
    }

    /// Many senders use deflate alone. RFC 1950: the method is 8 and the window at most 7. In deflate alone, such a byte
    /// would be a stored block with nonzero padding.
    private func kind(_ first: UInt8) -> Int32 {
        guard coding == .deflate else { return Zlib.gzip }
        return first & 0x0F == 8 && first >> 4 <= 7 ? Zlib.wrapped : Zlib.bare
    }
}

private final class BrotliDecoder: BodyDecoder {
    struct Library: Sendable {
        let open: @Sendable @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
        let run:
            @Sendable @convention(c) (
                OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeRawPointer?>,
                UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutablePointer<Int>?
            ) -> Int32
        let close: @Sendable @convention(c) (OpaquePointer) -> Void

        static let loaded = try? Library(
            open: Libcurl.function("BrotliDecoderCreateInstance"),
            run: Libcurl.function("BrotliDecoderDecompressStream"),
            close: Libcurl.function("BrotliDecoderDestroyInstance"))
    }

    private let library: Library
    private let brotli: OpaquePointer

    init?(_ library: Library) {
        guard let brotli = library.open(nil, nil, nil) else { return nil }
        (self.library, self.brotli) = (library, brotli)
    }

    deinit { library.close(brotli) }

    func restart() -> Bool { false }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer
    ) throws(TransportFailure) -> Bool {
        var (left, room) = (input.count, output.count)
        var (next, target) = (input.baseAddress, output.baseAddress)
        // BROTLI_DECODER_RESULT_ERROR is 0, and BROTLI_DECODER_RESULT_SUCCESS 1.
        let result = library.run(brotli, &left, &next, &room, &target, nil)
        input = UnsafeRawBufferPointer(start: next, count: left)
        output = UnsafeMutableRawBufferPointer(start: target, count: room)
        guard result != 0 else { throw .brokenCoding }
        return result == 1
    }
}

private final class ZstdDecoder: BodyDecoder {
    typealias Buffer = UnsafeMutablePointer<patchbay_zstd>

    struct Library: Sendable {
        let open: @Sendable @convention(c) () -> OpaquePointer?
        let run: @Sendable @convention(c) (OpaquePointer, Buffer, Buffer) -> Int
        let set: @Sendable @convention(c) (OpaquePointer, Int32, Int32) -> Int
        let isFailure: @Sendable @convention(c) (Int) -> UInt32
        let reason: @Sendable @convention(c) (Int) -> Int32
        let close: @Sendable @convention(c) (OpaquePointer) -> Int

        static let loaded = try? Library(
            open: Libcurl.function("ZSTD_createDStream"), run: Libcurl.function("ZSTD_decompressStream"),
            set: Libcurl.function("ZSTD_DCtx_setParameter"), isFailure: Libcurl.function("ZSTD_isError"),
            reason: Libcurl.function("ZSTD_getErrorCode"), close: Libcurl.function("ZSTD_freeDStream"))
    }

    /// RFC 9659, section 3: 8 MiB. libzstd's own limit is 128 MiB. The limit of Brotli is 16 MiB without its large window.
    private static let (windowLogMax, windowLog): (Int32, Int32) = (100, 23)
    private static let windowTooLarge: Int32 = 16

    private let library: Library
    private let zstd: OpaquePointer
    /// The number of bytes read of the magic number of a frame, and whether the frame is skippable.
    private var (magicBytes, isSkippable) = (0, false)

    init?(_ library: Library) {
        guard let zstd = library.open() else { return nil }
        (self.library, self.zstd) = (library, zstd)
        guard library.isFailure(library.set(zstd, Self.windowLogMax, Self.windowLog)) == 0 else { return nil }
    }

    deinit { _ = library.close(zstd) }

    /// zstd decodes one frame at a time, and begins the next one by itself.
    func restart() -> Bool {
        magicBytes = 0
        return true
    }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer
    ) throws(TransportFailure) -> Bool {
        guard isFrame(input) else { throw .brokenCoding }
        var source = patchbay_zstd(bytes: input.baseAddress, size: input.count, position: 0)
        var target = patchbay_zstd(
            bytes: output.baseAddress.map { UnsafeRawPointer($0) }, size: output.count, position: 0)
        let result = library.run(zstd, &target, &source)
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(source.position))
        output = UnsafeMutableRawBufferPointer(rebasing: output.dropFirst(target.position))
        guard library.isFailure(result) == 0 else {
            guard library.reason(result) == Self.windowTooLarge else { throw .brokenCoding }
            throw TransportFailure(
                .undecodableContent, "the content coding of the body needs more than 8 MiB of memory")
        }
        return result == 0
    }

    /// Whether the next bytes begin or continue a frame of RFC 8878 (section 3.1). libzstd can have been built with
    /// support for older formats, whose decoders allocate the window that the frame names, up to 128 MiB.
    private func isFrame(_ input: UnsafeRawBufferPointer) -> Bool {
        for byte in input.prefix(4 - magicBytes) {
            // There are sixteen magic numbers of skippable frames.
            if magicBytes == 0 { isSkippable = byte & 0xF0 == 0x50 }
            let magic: [UInt8] = isSkippable ? [byte, 0x2A, 0x4D, 0x18] : [0x28, 0xB5, 0x2F, 0xFD]
            guard byte == magic[magicBytes] else { return false }
            magicBytes += 1
        }
        return true
    }
}
