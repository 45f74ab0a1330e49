/// Who serializes one response, decided when its headers arrived.
///
/// Holds the registry of that moment, the head, and the candidates, almost always one. Reasons are worked out when asked for.
public struct Decision: Sendable {
    /// What is to be expected of the body.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The entry of `entryID` serializes it.
        case entry
        /// There will be no bytes.
        case empty
        /// The bytes are the value, or what the value is made of.
        case raw
        /// The call fails whatever the body is.
        case error
    }

    /// The question, to be asked again for the reasons.
    let planner: LookupPlanner
    let plan: LookupPlan

    init(_ planner: LookupPlanner) {
        plan = planner.plan()
        self.planner = planner
    }

    /// The same response, whatever its status, and one serializer for it, which unwraps nothing for others.
    package func serialized<Output: Sendable>(by serializer: some ResponseSerializer<Output>) -> Decision {
        let plain = ClosureResponseSerializer(acceptsEmptyBody: serializer.acceptsEmptyBody) { body, head in
            try serializer.serialize(body, head)
        }
        let override = LookupOverride(using: .serializer(plain), acceptableStatus: .any)
        return registry.decision(for: head, producing: .output(Output.self), override: override)
    }

    /// The registry that was asked.
    public var registry: SerializerRegistry { planner.registry }
    /// The response that it was asked about.
    public var head: ResponseHead { planner.head }
    /// Whether the status is one that the request accepts. Where it is not, the body is for the error.
    public var isAcceptable: Bool { planner.isAcceptable }
    /// What is looked for: what the call wanted, or anything where the status is not acceptable.
    public var wanted: WantedValue { planner.wanted }
    /// What the request changes about the look-up.
    public var override: LookupOverride { planner.override }
    var section: HostSection { planner.section }
    /// How the body was unwrapped that this look-up is about; nil for the bytes received.
    var unwrapping: Unwrapping? { planner.unwrapping }

    /// The policy that holds for the host of the response.
    public var policy: SerializerRegistry.Policy { section.policy }

    /// The statuses that the request accepts, its own or the policy's.
    public var acceptableStatus: StatusSet { override.acceptableStatus ?? policy.acceptableStatus }

    /// The canonical pattern of the host section that applies; nil where none does.
    public var hostSection: String? { section.name }

    /// The id of the entry that serializes the body; nil where none does, or the request brought the serializer.
    public var entryID: String? { plan.first?.entry }

    /// What is to be expected of the body, as far as the head tells.
    public var outcome: Outcome {
        let takesEmptyBody = plan.first?.acceptsEmptyBody ?? false
        if isEmptyExpected && !takesEmptyBody && !plan.isUnusable { return .empty }
        if plan.first != nil { return .entry }
        if case .failure = plan.ending { return .error }
        return .raw
    }

    /// The policy that says what happens where no entry that covers the response makes a value; nil where none is asked.
    package var endingPolicy: String? { plan.endingPolicy?.rawValue }

    var candidates: LookupPlan.Candidates { plan.candidates }

    /// Whether the policy expects no bytes of such a response.
    var isEmptyExpected: Bool {
        policy.empty.isExpected(method: head.request.method, status: head.status)
    }
}
