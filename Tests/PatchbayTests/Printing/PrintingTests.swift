import Patchbay
import PatchbayMigration
import TestSupport
import Testing

/// What a value shows of itself when it is printed: what a person would write, and no secret.
@Suite(.timeLimit(.minutes(5))) struct PrintingTests {
    /// Public types without a written form and without a place for a secret, each with the reason.
    static let plain = [
        "JSON.CodingOptions": "settings: strategies by name",
        "JSON.ParseOptions": "settings: numbers and names",
        "ResponseStream.AsyncIterator": "written as its stream: no value to hand about, so it has a test of its own",
        "BearerScheme": "settings: a margin and a closure",
        "FormParameterSerializer": "settings: rules",
        "FormRules": "settings: rules",
        "FormRules.ArrayRule": "settings: a rule or a closure",
        "FormRules.MemberRule": "settings: a rule or a closure",
        "FormRules.KeyRule": "settings: a rule or a closure",
        "FormRules.DateRule": "settings: a rule or a closure",
        "FormRules.DataRule": "settings: a rule or a closure",
        "FormRules.NullRule": "settings: a rule or a closure",
        "ClosureInterceptor": "closures, which print as functions",
        "ClosureObserver": "a closure, which prints as a function",
        "RedirectHandler": "closures, which print as functions",
        "ResponseValidator": "a closure, which prints as a function",
        "RetryPolicy": "settings: numbers, methods and statuses",
        "EventReconnection": "settings: times and a number",
        "JSONParameterSerializer": "settings: the options of JSON",
        "PropertyListParameterSerializer": "settings: a format",
        "CompressingParameterSerializer": "settings: a coding, and the serializer that it wraps",
        "TransportFlow": "an answer of a receiver: a name or a signal",
        "RequestBodyPiece": "an answer of a source: a number, a name or a signal",
        "LegacySerializer": "settings: statuses, types and a closure",
        "NotificationObserver": "settings: a family of names",
        "JSONSerializer": "settings of a format",
        "ClosureResponseSerializer": "a closure, which prints as a function",
        "ClosureUnwrappingSerializer": "a closure, which prints as a function",
        "URLSessionTransport": "cannot be made here; in URLSessionRequestTests",
        "ConformanceSample": "cannot be made here; in TestingTests",
        "ElementSample": "cannot be made here; in TestingTests",
    ]

    /// Types that reflection writes, field by field, each field a type that keeps its own secrets.
    static let reflected: Set = ["TLSSettings", "ConnectionSettings", "SessionConfiguration"]

    /// Types that are not public, and are written in what a user sees.
    static let inside: Set = [
        "Attempt", "CanonicalHost", "ContentType", "JSON.UnknownKeysFailure.Key", "LookupOverride",
        "LookupOverride.Using", "MediaRange", "MediaType.Parameter", "RegistryEntry", "RegistryEntry.Availability",
        "SerializationResult",
        "SerializerRegistry.Policy", "SerializerRegistry.Policy.EmptyBody", "SerializerRegistry.Policy.Fallback",
        "StatusRange", "SuggestedFileName", "WantedValue",
    ]

    /// Errors, those inside too, without a sample that has a secret: what their sentences are made of.
    static let errors = [
        "JSON.ParseFailure": "a place and what belongs there, never what stands there",
        "JSON.UnknownKeysFailure": "names of keys, as a manifest's",
        "ManifestFailure": "a manifest, which its own author reads",
        "PatternFailure": "a pattern, which its own author reads",
        "OptionFailure": "an option of a manifest, which its own author reads",
        "BodyLimitFailure": "a number", "ElementLimitFailure": "a number",
        "ListLimitFailure": "a number",
        "ElementFailure": "a place, and the reason of another error as it is fit for a sentence",
        "TextDecodingFailure": "a charset and a place",
        "ImageFailure": "a format and dimensions",
        "XMLFailure": "a place and a kind of markup",
        "AuthenticationFailure": "nothing", "ContentFailure": "the name of a field or file",
        "FileFailure": "the name of a file", "ParametersFailure": "the names of parameters",
        "ResponseValidator.Failure": "a status and media types",
        "ConformanceFailure": "what a kit says to the author of a serializer",
        "TransportFailure": "the words of a transport, which hold no URL, header field or body",
        "ComparisonFailure": "a manifest, which its own author reads",
        "InvalidValue": "what a type says against a value, never the value",
        "MessageFraming.Ambiguity": "the names of fields",
        "WritingFailure": "a media type, and the reason of another error as it is fit for a sentence",
    ]

    private static func samples() async throws -> [PrintedSample] {
        try await PrintedSample.messages() + PrintedSample.bodies() + PrintedSample.values() + PrintedSample.calls()
    }

    @Test("every public value is written as a person would write it")
    func forms() async throws {
        for sample in try await Self.samples() {
            guard let text = sample.text else { continue }
            #expect("\(sample.value)" == text, "\(sample.type)")
            // Where there is more to say to a developer, that is a test of its own.
            guard !(sample.value is any CustomDebugStringConvertible) else { continue }
            #expect(String(reflecting: sample.value) == text, "\(sample.type), debugPrint")
        }
    }

    @Test("no secret shows, however a value is printed and whatever it is inside of")
    func secrets() async throws {
        for sample in try await Self.samples() {
            for (way, text) in sample.renderings {
                #expect(!text.contains(PrintedSample.secret), "\(sample.type), \(way): \(text.prefix(2_000))")
            }
        }
    }

    @Test("no public type, and no error, is without a sample or the reason why it has none")
    func complete() async throws {
        let declared =
            try DeclaredType.all().filter { $0.canHold || $0.isError } + DeclaredType.inside().filter(\.isError)
        #expect(declared.count > 90)
        let samples = try await Self.samples()
        let sampled = Set(samples.map(\.type))
        let written = Set(samples.filter { $0.text != nil }.map(\.type))
        for type in declared {
            let isPlain = Self.plain[type.name] != nil
            #expect(
                sampled.contains(type.name) != (isPlain || Self.errors[type.name] != nil),
                "\(type.name) needs a sample, or the reason why there is none, and not both")
            #expect(
                isPlain || type.isError || written.contains(type.name) != Self.reflected.contains(type.name),
                "\(type.name) needs a written form, or to be named as one that reflection writes")
        }
        let names = Set(declared.map(\.name))
        for name in sampled.union(Self.plain.keys).union(Self.errors.keys).union(Self.reflected).subtracting(
            Self.inside)
        {
            #expect(names.contains(name), "there is no public type and no error \(name) that holds anything")
        }
    }
}
