import Patchbay

/// Lines of a name and a value, and any `Decodable` from them.
struct SettingsSerializer: DecodingSerializer {
    var separator: Character = "="

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON {
        let lines = try body.text(head.mediaType).split(whereSeparator: \.isNewline)
        let members = lines.map { line in
            let parts = line.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
            return (key: String(parts.first ?? ""), value: JSON(parts.last ?? ""))
        }
        return JSON(members)
    }

    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try serialize(body, head).decode(type)
    }
}

struct SettingsOptions: Decodable, Sendable {
    var separator: String?
}

func settingsRegistry(_ manifest: ManifestSource) throws -> SerializerRegistry {
    var factories = SerializerFactories.standard
    try factories.register("settings") { (options: SettingsOptions) in
        let separator = options.separator ?? "="
        guard let character = separator.first, separator.count == 1 else {
            throw FormatFailure("settings", .range, "the separator is not one character")
        }
        return SettingsSerializer(separator: character)
    }
    return try SerializerRegistry([manifest], factories: factories)
}
