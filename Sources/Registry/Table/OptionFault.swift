import PatchbayJSON

struct OptionFault {
    let code: ManifestFailure.Issue.Code
    /// The JSON pointer of the option within the options; empty if the error names none.
    let path: String
    let message: String
    var suggestion: String?

    /// The faults of all options that a factory refuses: after a fault, it gets the options without the refused ones.
    /// - Parameter subject: the owner of the options: `the entry "json"`.
    static func all(
        of failure: SerializerRecipe.Failure, by recipe: SerializerRecipe, _ options: JSON, _ context: FactoryContext,
        for subject: String
    ) -> [OptionFault] {
        var (faults, options, next) = ([OptionFault](), options, Optional(failure))
        while let failure = next {
            let new = found(failure, by: recipe.name, for: subject).filter { fault in
                faults.isEmpty || !fault.path.isEmpty && !faults.contains { $0.path == fault.path }
            }
            faults += new
            let rest = options.object?.filter { key, _ in
                !new.contains { "\($0.path)/".hasPrefix("/\(JSONPointer.escaped(key))/") }
            }
            guard let rest, rest.count < options.count else { break }
            options = .object(rest.map { ($0.key, $0.value) })
            next = recipe.failure(of: options, context)
        }
        return faults
    }

    /// The faults that one failure names.
    private static func found(
        _ failure: SerializerRecipe.Failure, by factory: String, for subject: String
    ) -> [OptionFault] {
        func fault(_ code: ManifestFailure.Issue.Code, _ verb: String, _ error: any Error) -> [OptionFault] {
            let reason = FailureReason(ofRefusedOption: error)
            return [
                OptionFault(
                    code: code, path: path(to: error), message: "the factory \(Quoted(factory)) \(verb): \(reason)")
            ]
        }
        switch failure {
        case .factory(let error): return fault(.factoryFailed, "refused \(subject)", error)
        case .options(let error as JSON.UnknownKeysFailure):
            return error.keys.map { key in
                let known =
                    key.known.isEmpty ? "no key is known here" : "known are \(QuotedList(key.known, quoted: false))"
                return OptionFault(
                    code: .unknownOption, path: key.pointer,
                    message: "the factory \(Quoted(factory)) has no option \(Quoted(key.key)); \(known)",
                    suggestion: Spelling.nearest(to: key.key, in: key.known))
            }
        case .options(let error): return fault(.invalidOption, "cannot read this option", error)
        }
    }

    private static func path(to error: any Error) -> String {
        switch error {
        case let error as DecodingError: FailureReason.path(of: error)
        case let error as OptionFailure: "/" + JSONPointer.escaped(error.key)
        default: ""
        }
    }
}
