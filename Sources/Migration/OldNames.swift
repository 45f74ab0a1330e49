// What types were called before they had the field's words and the first names of their families: for code that is older.

public import PatchbayManager
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
