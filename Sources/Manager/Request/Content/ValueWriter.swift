import PatchbayJSON
import PatchbayParameters
import PatchbayPlatform
import PatchbayRegistry

/// Writes a value in a media type: the formats that requests are sent in.
struct ValueWriter: Sendable {
    private let value: any Encodable & Sendable
    private let type: MediaType?

    init(_ value: any Encodable & Sendable, _ type: MediaType?) { (self.value, self.type) = (value, type) }

    var contentType: String {
        if let type { return type.description }
        return switch value {
        case is Data, is [UInt8]: "application/octet-stream"
        case is String: "text/plain; charset=utf-8"
        default: "application/json"
        }
    }

    /// - Throws: `ContentFailure` where no format has the type, or the format has no such value; what the value throws.
    func write() throws -> Data {
        switch value {
        case let bytes as Data: return bytes
        case let bytes as [UInt8]: return Data(bytes)
        case let text as String: return try data(of: text)
        default: break
        }
        guard let type else { return try json() }
        switch type.essence {
        case "application/json", "text/json": return try json()
        case "application/x-www-form-urlencoded": return try form()
        case "application/x-plist":
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .xml
            return try encoder.encode(value)
        default:
            if let texts = JSONTexts(type) { return try texts.encode(elementsOf: value) }
            guard type.suffix == "json" else { throw ContentFailure.unwritable(type) }
            return try json()
        }
    }

    private func json() throws -> Data { Data(try JSON(encoding: value).serialized().utf8) }

    /// WHATWG URL, section 5.2, the urlencoded serializer, of the members of a value as `QueryItems(encoding:)` has them.
    private func form() throws -> Data {
        if let fields = value as? any FormWritable {
            return Data(FormEscape.urlencoded.text(of: fields.formPairs).utf8)
        }
        var rules = FormRules.members
        rules.spaces = .plus
        rules.allowed = .urlencoded
        do {
            return Data(try FormWriter(rules).text(of: Parameters(encoding: value)).utf8)
        } catch let failure as ParametersFailure {
            throw ContentFailure(.unwritableValue, failure.reason)
        }
    }

    private func data(of text: String) throws -> Data {
        guard let label = type?[parameter: "charset"] else { return Data(text.utf8) }
        let encoding: String.Encoding? =
            switch label.lowercased() {
            case "utf-8", "utf8": .utf8
            case "us-ascii", "ascii": .ascii
            case "iso-8859-1", "latin1": .isoLatin1
            case "utf-16": .utf16
            case "utf-16le": .utf16LittleEndian
            case "utf-16be": .utf16BigEndian
            default: nil
            }
        guard let encoding else {
            throw ContentFailure(
                .unwritableValue,
                "a text can be sent in UTF-8, UTF-16, ISO-8859-1 or US-ASCII, and not in \(Redaction.quoted(label)): send it as Data"
            )
        }
        guard let data = text.data(using: encoding) else {
            throw ContentFailure(.unwritableValue, "its text has a character that \(label) lacks")
        }
        return data
    }
}

extension ContentFailure {
    static func unwritable(_ type: MediaType) -> ContentFailure {
        ContentFailure(
            .unwritableValue,
            "a value can be written as JSON, a form, a property list, ndjson or json-seq, and not as \(type.essence): send it as Data"
        )
    }

    static func unwritable(elementsOf type: MediaType) -> ContentFailure {
        ContentFailure(
            .unwritableValue,
            "elements can be written as ndjson or json-seq, and not as \(type.essence): send them as a stream of Data")
    }
}
