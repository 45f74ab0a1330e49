import CPatchbayCurl
package import PatchbayCodings
package import PatchbayPlatform

extension ContentCoding {
    /// Encodes the bytes in this coding, which must be gzip or deflate. Returns nil if zlib is missing or there is no
    /// memory.
    package func encode(_ data: Data) -> Data? {
        guard Libcurl.isReady, let zlib = Zlib.loaded else { return nil }
        var stream = patchbay_zlib()
        return withUnsafeMutablePointer(to: &stream) { stream in
            // The usual level, memory and strategy; the method is always 8.
            let kind = self == .gzip ? Zlib.gzip : Zlib.wrapped
            guard zlib.openEncoder(stream, -1, 8, kind, 8, 0, Zlib.version, Zlib.size) == Zlib.ok else { return nil }
            defer { _ = zlib.closeEncoder(stream) }
            let capacity = Int(clamping: zlib.bound(stream, UInt(data.count)))
            guard let memory = malloc(capacity) else { return nil }
            let count = data.withUnsafeBytes { input in
                var (input, room) = (input, UnsafeMutableRawBufferPointer(start: memory, count: capacity))
                var result = Zlib.ok
                while result == Zlib.ok {
                    let flush = input.count > UInt32.max ? Zlib.noFlush : Zlib.finish
                    result = Zlib.run(zlib.encode, flush, stream, &input, &room)
                }
                return result == Zlib.streamEnd ? capacity - room.count : nil
            }
            guard let count else {
                free(memory)
                return nil
            }
            // zlib keeps no pointer to the memory: `Data` is its only owner, and frees it once.
            return Data(bytesNoCopy: memory, count: count, deallocator: .free)
        }
    }
}
