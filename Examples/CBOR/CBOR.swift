import Foundation
import Patchbay

/// Reads and writes CBOR (RFC 8949): one factory gives both sides of an entry.
///
/// An untyped call gives a `CBORValue`, a typed call any `Decodable`; the body of a request is any `Encodable`.
struct CBOR: DecodingSerializer, RequestSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> CBORValue {
        try CBORValue(parsing: body.data)
    }

    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try CBORValue(parsing: body.data).decode(type)
    }

    func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        try CBORValue(encoding: value).encoded()
    }
}
