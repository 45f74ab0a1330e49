import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// The options of the factory `form`: the limit of reading, and the rules of writing.
package struct FormOptions: Decodable, Sendable {
    /// The options of writing, and the rule that each of their words sets.
    private static let rules: KeyValuePairs<String, KeyValuePairs<String, @Sendable (inout FormWriter) -> Void>> = [
        "arrays": [
            "brackets": { $0.element = { array, _ in array + "[]" } },
            "noBrackets": { $0.element = { array, _ in array } },
            "indexInBrackets": { $0.element = { $0 + "[\($1)]" } },
        ],
        "bools": ["numeric": { $0.bool = { $0 ? "1" : "0" } }, "literal": { $0.bool = { "\($0)" } }],
        "dates": [
            "deferred": { $0.date = { FormWriter.text(of: $0.timeIntervalSinceReferenceDate) } },
            "secondsSince1970": { $0.date = { FormWriter.text(of: $0.timeIntervalSince1970) } },
            "millisecondsSince1970": { $0.date = { FormWriter.text(of: $0.timeIntervalSince1970 * 1000) } },
            "iso8601": { $0.date = { $0.iso8601 } },
        ],
        "data": ["deferred": { $0.data = { _ in nil } }, "base64": { $0.data = { .bytes($0) } }],
        "keys": [
            "asIs": { $0.key = { $0 } }, "snakeCase": { $0.key = { SnakeCase.snakeCased($0) } },
            "kebabCase": { $0.key = { SnakeCase.snakeCased($0, separator: "-") } },
            "capitalized": { $0.key = { $0.prefix(1).uppercased() + $0.dropFirst() } },
            "uppercased": { $0.key = { $0.uppercased() } }, "lowercased": { $0.key = { $0.lowercased() } },
        ],
        "members": ["brackets": { $0.suffix = { "[\($0)]" } }, "dots": { $0.suffix = { ".\($0)" } }],
        "nulls": [
            "nameOnly": { $0.null = { _ in .missing } }, "empty": { $0.null = { _ in .text("") } },
            "literal": { $0.null = { _ in .text("null") } }, "dropped": { $0.null = { _ in nil } },
        ],
        "spaces": ["percentEncoded": { $0.escape.isPlus = false }, "plus": { $0.escape.isPlus = true }],
        "order": [
            "given": { $0.order = .given }, "names": { $0.order = .names },
            "outermostNames": { $0.order = .outermostNames }, "pairs": { $0.order = .pairs },
        ],
    ]

    /// The words of an option of writing.
    package static func words(_ option: String) -> [String] {
        rules.filter { $0.key == option }.flatMap { $0.value.map(\.key) }
    }

    let maxFields: Int?
    /// The standard rules, changed by the options.
    private(set) var writer = FormSerializer.standardWriter

    package init(from decoder: any Decoder) throws {
        let options = try decoder.container(keyedBy: PathKey.self)
        maxFields = try options.decodeIfPresent(Int.self, forKey: .name("maxFields"))
        for (option, rules) in Self.rules {
            guard let word = try options.decodeIfPresent(String.self, forKey: .name(option)) else { continue }
            guard let rule = rules.first(where: { $0.key == word })?.value else {
                throw OptionFailure(option, word, noneOf: rules.map(\.key))
            }
            rule(&writer)
        }
    }
    func serializer() throws -> FormSerializer {
        let maximum = try maxFields.map { try OptionFailure.check("maxFields", $0, in: 1...1_000_000) }
        return FormSerializer(maximumFields: maximum ?? 10_000, writer: writer)
    }
}
