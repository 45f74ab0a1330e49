import Patchbay
import PatchbayPlatform

/// A JSON value as the body of a request: the entry that writes it, and the bytes.
struct WrittenBody {
    let lookup: WriterLookup
    /// Nil if the body was not written: no entry writes it, or only the entry was looked up.
    let bytes: Result<Data, WritingFailure>?

    /// - Parameters:
    ///   - inElements: whether the elements of the value, an array, are written one by one.
    ///   - type: nil for `requestContentType` of the host's policy.
    ///   - isWritten: whether the bytes are made; otherwise only the entry is looked up.
    init(
        _ value: JSON, inElements: Bool, as type: MediaType?, host: String?, isWritten: Bool,
        _ registry: SerializerRegistry
    ) {
        let place = host.flatMap { Endpoint($0) }
        let (host, url) = (place?.host, place?.url)
        let type = type ?? registry.policy(for: host, at: url).requestContentType
        let lookup = registry.writer(
            of: inElements ? .elements(JSON.self) : .value(value), as: type, for: host, at: url)
        self.lookup = lookup
        bytes = (isWritten ? lookup.writer : nil).map { writer in
            do {
                guard inElements else { return .success(try lookup.write(value)) }
                let pieces = try (value.array ?? []).enumerated().map { position, element in
                    try writer.elements?.writeElement(element, at: position, as: type) ?? Data()
                }
                return .success(Data(pieces.joined()))
            } catch {
                return .failure(lookup.failure(error))
            }
        }
    }

    var decision: Decision {
        guard case .failure(let failure) = bytes else { return Decision(lookup) }
        return Decision(lookup, failure: failure.cause)
    }

    /// The code and the sentence of the error of a call with this body; nil if the body can be written or was not.
    var failure: (code: String, sentence: String)? {
        if lookup.writer == nil { return ("noWriter", lookup.refusal) }
        guard case .failure(let failure) = bytes else { return nil }
        return ("writing", failure.description)
    }

    /// Bytes as JSON: text unchanged, other bytes as `{"base64": …}`.
    static func json(_ bytes: Data) -> JSON {
        String(validating: bytes, as: UTF8.self).map { JSON($0) } ?? PrintedValue(bytes).json
    }

    /// The bytes of a JSON value that `json(_:)` made; nil for any other value.
    static func bytes(_ json: JSON) -> Data? {
        json.string.map { Data($0.utf8) } ?? json["base64"]?.string.flatMap { Data(base64Encoded: $0) }
    }
}
