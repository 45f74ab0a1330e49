// What types were called before they had the field's words and the first names of their families: for code that is older.

public import PatchbayJSON
public import PatchbayManager
public import PatchbayPlugins
public import PatchbayRegistry

/// The request of a call.
@available(*, deprecated, renamed: "SessionRequest")
public typealias HTTPRequest = SessionRequest

/// What a receiver asks of the transport after each piece.
@available(*, deprecated, renamed: "TransportFlow")
public typealias Flow = TransportFlow

/// A one-time event.
@available(*, deprecated, renamed: "StopSignal")
public typealias Signal = StopSignal

/// The type to ask for when a call is expected to answer with no body.
@available(*, deprecated, renamed: "EmptyValue")
public typealias Empty = EmptyValue

/// One row of the table of a host.
@available(*, deprecated, renamed: "SerializerRegistry.Route")
public typealias Route = SerializerRegistry.Route

/// What holds for a whole registry, or for one host.
@available(*, deprecated, renamed: "SerializerRegistry.Policy")
public typealias Policy = SerializerRegistry.Policy

/// One entry that was asked whether it serializes a response, and what came of it.
@available(*, deprecated, renamed: "Candidate")
public typealias Asked = Candidate

/// What became of a body: the value, and who made it.
@available(*, deprecated, renamed: "SerializationResult")
public typealias Serialized<Value: Sendable> = SerializationResult<Value>

/// What kind of value a body became.
@available(*, deprecated, renamed: "SerializationOutcome")
public typealias SerializedOutcome = SerializationOutcome

/// A body has more bytes than are allowed.
@available(*, deprecated, renamed: "BodyLimitFailure")
public typealias BodyLimitExceeded = BodyLimitFailure

/// An element takes more bytes than are allowed.
@available(*, deprecated, renamed: "ElementLimitFailure")
public typealias ElementLimitExceeded = ElementLimitFailure

/// An option of an entry that its factory does not take.
@available(*, deprecated, renamed: "OptionFailure")
public typealias InvalidOption = OptionFailure

/// A document of problem details that is none.
@available(*, deprecated, renamed: "ProblemFailure")
public typealias NotAProblem = ProblemFailure

/// A response with no type of its own behind its prefix.
@available(*, deprecated, renamed: "UntypedResponseFailure")
public typealias UntypedResponse = UntypedResponseFailure

/// Why the text of a pattern is not one.
@available(*, deprecated, renamed: "PatternFailure")
public typealias PatternError = PatternFailure

/// Why bytes are not the text of a charset.
@available(*, deprecated, renamed: "TextDecodingFailure")
public typealias TextDecodingError = TextDecodingFailure

extension JSON {
    /// Members of a document that a type has no property for.
    @available(*, deprecated, renamed: "UnknownKeysFailure")
    public typealias UnknownKeys = UnknownKeysFailure
}
