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
        // Two bytes are mostly three in UTF-8, and where all has room the C library converts nothing twice.
        var output = Output(bytes: [UInt8](repeating: 0, count: bytes.count + bytes.count / 2 + 64))
        var offset = 0
        var isFlushed = false
        while !isFlushed {
            isFlushed = offset == bytes.count
            let stop = convert(isFlushed ? nil : bytes, &offset, &output)
            switch stop {
            case .done: break
            case .full:
                guard output.bytes.count <= bytes.count * 4 + 64 else { throw .malformed(offset: offset) }
                output.grow()
                isFlushed = false
            case .malformed, .cutOff:
                guard offset < bytes.count else { break }
                output.append(try replacement(offset))
                offset = stop == .malformed ? offset + 1 : bytes.count
            }
        }
        return output.text
    }

    /// Room for UTF-8, and how much of it is taken.
    private struct Output {
        var bytes: [UInt8]
        var count = 0

        var text: String { String(decoding: bytes[..<count], as: UTF8.self) }

        mutating func grow() { bytes += repeatElement(0, count: bytes.count) }

        mutating func append(_ scalar: Unicode.Scalar) {
            if bytes.count - count < 4 { grow() }
            for byte in String(scalar).utf8 {
                bytes[count] = byte
                count += 1
            }
        }
    }

    private enum Stop {
        case done, full, malformed, cutOff
    }

    /// One call of the C function over the bytes from `offset` on, or, for no bytes, the one that gives what it kept back.
    private func convert(_ bytes: UnsafeRawBufferPointer?, _ offset: inout Int, _ output: inout Output) -> Stop {
        let used = output.count
        let (result, code, written) = output.bytes.withUnsafeMutableBytes { buffer in
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
            var next = target.bindMemory(to: CChar.self).baseAddress
            var room = target.count
            guard let bytes else {
                let result = iconv(handle, nil, nil, &next, &room)
                return (result, errno, target.count - room)
            }
            let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + offset) }
            var input = start?.assumingMemoryBound(to: CChar.self)
            var rest = bytes.count - offset
            let result = iconv(handle, &input, &rest, &next, &room)
            let code = errno
            offset = bytes.count - rest
            return (result, code, target.count - room)
        }
        output.count += written
        guard result == -1 else { return .done }
        return code == E2BIG ? .full : code == EINVAL ? .cutOff : .malformed
    }
}
