import Foundation
import Glibc

/// The converter of the C library, called directly.
enum Iconv {
    static func string(_ data: Data, from charset: String) throws -> String {
        let converter = iconv_open("UTF-8", charset)
        guard converter != iconv_t(bitPattern: -1) else { throw WorkFailure("iconv does not know \(charset)") }
        defer { iconv_close(converter) }
        var converted = [UInt8](repeating: 0, count: data.count * 3)
        let count = try data.withUnsafeBytes { source in
            try converted.withUnsafeMutableBytes { target in
                var input = UnsafeMutablePointer(mutating: source.bindMemory(to: CChar.self).baseAddress)
                var output = target.bindMemory(to: CChar.self).baseAddress
                var (inputLeft, outputLeft) = (source.count, target.count)
                guard iconv(converter, &input, &inputLeft, &output, &outputLeft) != -1 else {
                    throw WorkFailure("iconv failed")
                }
                return target.count - outputLeft
            }
        }
        return String(decoding: converted[..<count], as: UTF8.self)
    }
}
