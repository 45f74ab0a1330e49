import PatchbayJSON
public import PatchbayRegistry

/// Reads the fields of a form, `application/x-www-form-urlencoded`.
public struct FormResponseSerializer: ResponseSerializer, NeverDecliningSerializer {
    /// How many fields a form may have.
    public let maximumFields: Int

    /// - Parameter maximumFields: a body with more is an error.
    public init(maximumFields: Int = 10_000) {
        self.maximumFields = maximumFields
    }

    /// - Throws: `FormFailure` where there are too many fields.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> FormFields {
        try body.withUnsafeBytes { bytes throws(FormFailure) in
            try FormParser.parse(bytes, maximumFields: maximumFields)
        }
    }
}

/// The options of `"factory": "form"`.
struct FormOptions: Decodable, Sendable {
    /// 1 to 1,000,000; the default is 10,000.
    var maxFields: Int?
}

/// Makes the serializer for `"factory": "form"`.
struct FormFactory: SerializerFactory {
    static let name = "form"

    func makeSerializer(_ options: FormOptions, _ context: FactoryContext) throws -> any ResponseSerializer {
        let maximum = try options.maxFields.map { try InvalidOption.check("maxFields", $0, in: 1...1_000_000) }
        return FormResponseSerializer(maximumFields: maximum ?? 10_000)
    }
}

extension ManifestObject {
    /// The keys of `FormOptions`.
    static let formOptions = ManifestObject(
        "formOptions",
        [ManifestKey("maxFields", .integer(1...1_000_000), default: 10_000, "How many fields a form may have.")])
}
