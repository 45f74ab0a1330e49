import Foundation
import PatchbayJSON
import PatchbayMigration
import PatchbayTools
import Testing

@testable import PatchbayPlugins
@testable import PatchbayRegistry

/// What is said of the options of the built-in factories is what their decoders ask for.
@Suite struct FactoryDescriptionTests {
    /// A factory of this build: the keys that it asks for, and a description of what it makes of options.
    struct Factory: Sendable, CustomTestStringConvertible {
        let name: String
        let keys: @Sendable () -> [String]
        let make: @Sendable (JSON) throws -> String
        var testDescription: String { name }

        init(_ name: String, _ recipe: SerializerRecipe) {
            let context = FactoryContext(entryID: "it", maximumBodyBytes: 1 << 20)
            self.name = name
            keys = {
                switch recipe.make(["zzz": 0], context) {
                case .failure(.options(let error as JSON.UnknownKeysFailure)): error.keys.first?.known ?? []
                case let made: ["\(made)"]
                }
            }
            make = { options in
                let made = try recipe.make(options, context).get()
                var text = ""
                dump(made, to: &text)
                // The rules of a form are closures: only what it writes tells them apart.
                guard let form = made as? FormSerializer else { return text }
                return try text + String(decoding: form.write(FormWritingTests.Order(), as: .form), as: UTF8.self)
            }
        }

        var description: FactoryDescription? { FactoryDescription.standard.first { $0.name == name } }
    }

    static let factories: [Factory] = {
        let factories = SerializerFactories.standard.joined(with: .migration)
        return factories.names.compactMap { name in factories.recipes[name].map { Factory(name, $0) } }
    }()

    @Test("Every factory is described, and one that is not in this build as well")
    func complete() {
        #expect(Set(FactoryDescription.standard.map(\.name)) == Set(Self.factories.map(\.name) + ["image"]))
        #expect(FactoryDescription.standard.count == Set(FactoryDescription.standard.map(\.name)).count)
    }

    @Test("The keys are those that the decoder asks for", arguments: factories)
    func keys(_ factory: Factory) throws {
        let description = try #require(factory.description)
        #expect(factory.keys().sorted() == description.options.names.sorted())
    }

    @Test("Each option takes what is said of it, and nothing else", arguments: factories)
    func values(_ factory: Factory) throws {
        let options = try #require(factory.description).options
        for key in options.keys {
            let (good, bad) = try Self.samples(key)
            for value in good + [.null] {
                #expect(throws: Never.self, "\(key.name): \(value)") { try factory.make([(key.name, value)].json) }
            }
            for value in bad {
                #expect(throws: (any Error).self, "\(key.name): \(value)") {
                    try factory.make([(key.name, value)].json)
                }
            }
        }
    }

    @Test("A default is what holds without the key, and another value makes something else", arguments: factories)
    func defaults(_ factory: Factory) throws {
        let options = try #require(factory.description).options
        let plain = try factory.make([:])
        for key in options.keys {
            var isOther = false
            for value in try Self.samples(key).good {
                let made = try factory.make([(key.name, value)].json)
                if value == key.standard { #expect(made == plain, "\(key.name): \(value)") }
                isOther = isOther || made != plain
            }
            #expect(isOther, "\(key.name)")
        }
    }

    /// Values that fit what is said of an option, its default among them, and values that do not.
    static func samples(_ key: ManifestKey) throws -> (good: [JSON], bad: [JSON]) {
        let standard = key.standard.map { [$0] } ?? []
        switch key.value {
        case .bool: return ([true, false], ["true", 1, []])
        // A charset is one of many words.
        case .text(let minimum):
            return (standard + ["latin1"], [1, true, ["latin1"]] + (minimum > 0 ? [""] : []))
        case .character: return (standard + [";", "'"], ["", ";;", "\n", "§", 1, true])
        case .words(let words, nil): return (words.map { JSON($0) }, ["zzz", 1, []])
        case .words(let words, .object(let object)?):
            let whole = object.keys.map { ($0.name, JSON("a")) }
            return (
                words.map { JSON($0) } + [whole.json],
                [
                    "zzz", 1, [], Array(whole.dropLast()).json, (whole + [("zzz", "a")]).json,
                    whole.map { ($0.0, JSON(1)) }.json,
                ]
            )
        case .integer(let range):
            let isOpen = range.upperBound == .max
            return (
                standard + [JSON(range.lowerBound), JSON(isOpen ? 1000 : range.upperBound)],
                [JSON(range.lowerBound - 1), 1.5, "1"] + (isOpen ? [] : [JSON(range.upperBound + 1)])
            )
        case .number(let above, let through):
            return (standard + [JSON(through), JSON(above + 0.5)], [JSON(above), JSON(through + 0.5), "1"])
        case .list(.text, let minimum, _, _):
            return ([["latin1"], ["a", "b"]], ["latin1", 1, [1]] + (minimum > 0 ? [[]] : []))
        case .pattern, .factory, .words, .list, .object, .map, .options:
            throw NoSamples(key: key.name)
        }
    }

    struct NoSamples: Error { let key: String }
}

extension [(String, JSON)] {
    fileprivate var json: JSON { .object(self) }
}
