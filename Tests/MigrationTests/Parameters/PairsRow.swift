import PatchbayMigration
import PatchbayRegistry
import Testing

/// Parameters, and the pairs that some rules make of them.
struct PairsRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let parameters: Parameters
    let pairs: String
    private let rules: FormRules

    init(
        _ name: String, _ parameters: Parameters, _ pairs: String,
        _ change: @Sendable (inout FormRules) -> Void = { _ in }
    ) {
        testDescription = name
        self.parameters = parameters
        self.pairs = pairs
        var rules = FormRules()
        change(&rules)
        self.rules = rules
    }

    func written() throws -> String { try rules.writer.text(of: parameters.tree()) }
}
