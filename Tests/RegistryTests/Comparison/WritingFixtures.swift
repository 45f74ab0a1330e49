import PatchbayJSON
import PatchbayPlatform

@testable import PatchbayRegistry

/// Writes every value, and reads nothing.
struct SureWriter: RequestSerializer, NeverDecliningSerializer {
    func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data("sure".utf8) }
}

/// Reads JSON, and writes every value.
struct BothFixture: ResponseSerializer, RequestSerializer, NeverDecliningSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON { try JSON(parsing: body.data) }
    func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data("both".utf8) }
}

struct NamedOptions: Decodable, Sendable {
    var name: String?
}

/// Declines the sets of names that have its own.
struct PickyWriter: RequestSerializer {
    let name: String

    func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
        (value as? Set<String>)?.contains(name) == true ? "it is named" : nil
    }

    func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data(name.utf8) }
}

/// The same, and writes elements, too.
struct RowsWriter: ElementWritingSerializer {
    let name: String

    func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
        PickyWriter(name: name).declineReason(writing: value, as: type)
    }

    func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data(name.utf8) }
    func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data { Data(name.utf8) }
}

extension SerializerFactories {
    /// Those that yield, and one for each fixture that writes.
    static func writing() throws -> SerializerFactories {
        var factories = try yielding()
        try factories.register("sure") { SureWriter() }
        try factories.register("both") { BothFixture() }
        try factories.register("picky-writer") { (options: NamedOptions) in PickyWriter(name: options.name ?? "") }
        try factories.register("rows") { (options: NamedOptions) in RowsWriter(name: options.name ?? "") }
        return factories
    }
}
