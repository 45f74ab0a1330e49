#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A converter of the C library from one encoding to UTF-8. It owns the C handle and closes it.
struct IconvConverter: ~Copyable {
    private let handle: iconv_t

    /// Nil where the C library has no such converter.
    init?(from name: String) {
        guard let handle = iconv_open("UTF-8", name), handle != iconv_t(bitPattern: -1) else { return nil }
        self.handle = handle
    }

    deinit { iconv_close(handle) }

    /// The one character that a byte stands for alone; nil where it is none, or more.
    func scalar(of byte: UInt8) -> Unicode.Scalar? {
        let text = withUnsafeBytes(of: byte) { try? decode($0) { _ throws(TextFault) in throw .noDecoder } }
        guard let scalars = text?.unicodeScalars, scalars.count == 1 else { return nil }
        return scalars.first
    }

    /// Converts all the bytes, after which the converter is in its first state again.
    ///
    /// The result is at most four times as long, and a little: no encoding here gives a byte more than one character of three
    /// bytes, or two of two.
    /// - Parameter replacement: what stands for the byte at an offset that cannot be converted, or throws.
    func decode(
        _ bytes: UnsafeRawBufferPointer,
        replacing replacement: (Int) throws(TextFault) -> Unicode.Scalar
    ) throws(TextFault) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var offset = 0
        var isFlushed = false
        while !isFlushed {
            isFlushed = offset == bytes.count
            let before = text.count
            let stop = convert(isFlushed ? nil : bytes, &offset, &text)
            switch stop {
            case .done: break
            case .full:
                // A full buffer from which nothing came would come again for ever.
                guard text.count > before, text.count <= bytes.count * 4 + 64 else { throw .malformed(offset: offset) }
                isFlushed = false
            case .malformed:
                guard offset < bytes.count else { break }
                text.append(contentsOf: String(try replacement(offset)).utf8)
                offset += 1
            case .cutOff:
                guard offset < bytes.count else { break }
                text.append(contentsOf: String(try replacement(offset)).utf8)
                offset = bytes.count
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private enum Stop {
        case done, full, malformed, cutOff
    }

    /// One call of the C function over the bytes from `offset` on, or, for no bytes, the one that gives what it kept back.
    private func convert(_ bytes: UnsafeRawBufferPointer?, _ offset: inout Int, _ text: inout [UInt8]) -> Stop {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            var output = buffer.baseAddress
            var room = buffer.count
            var result = 0
            if let bytes {
                let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + offset) }
                var input = start?.assumingMemoryBound(to: CChar.self)
                var rest = bytes.count - offset
                result = iconv(handle, &input, &rest, &output, &room)
                offset = bytes.count - rest
            } else {
                result = iconv(handle, nil, nil, &output, &room)
            }
            let code = errno
            text.append(contentsOf: UnsafeRawBufferPointer(buffer).prefix(buffer.count - room))
            guard result == -1 else { return .done }
            return code == E2BIG ? .full : code == EINVAL ? .cutOff : .malformed
        }
    }
}
