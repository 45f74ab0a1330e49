import Foundation
import PatchbayRegistry

/// Responses for the tests of single serializers.
enum Sample {
    /// The head of a response with this Content-Type, or without one.
    static func head(_ contentType: String?, status: Int = 200) -> ResponseHead {
        let url = URL(string: "http://origin.test/") ?? URL(fileURLWithPath: "/")
        let fields = HeaderFields(contentType.map { [("Content-Type", $0)] } ?? [])
        return ResponseHead(status: status, fields: fields, url: url, request: RequestHead(url: url))
    }

    static func body(_ text: String) -> ResponseBody { ResponseBody(Array(text.utf8)) }

    /// UTF-16 with a byte order mark, little-endian unless said otherwise.
    static func utf16(_ text: String, bigEndian: Bool = false) -> [UInt8] {
        let units = [0xFEFF] + Array(text.utf16)
        return units.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    /// The coding path of the `EncodingError` that a call throws; nil where it does not throw one.
    static func path(_ call: () throws -> Void) -> String? {
        do {
            try call()
        } catch EncodingError.invalidValue(_, let context) {
            return context.codingPath.map(\.stringValue).joined(separator: ".")
        } catch {}
        return nil
    }

    /// What a call throws, as a sentence; nil where it does not throw.
    static func sentence(_ call: () throws -> Void) -> String? {
        do {
            try call()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
