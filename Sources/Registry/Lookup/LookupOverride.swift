/// What one request changes about the look-up of its response.
public struct LookupOverride: Sendable {
    /// What serializes the response, without matching, where its status is acceptable.
    public enum Using: Sendable {
        /// The entry of this id, whatever its types and statuses are.
        case entry(String)
        /// A serializer of the request's own.
        case serializer(any ResponseSerializer)
    }

    public var using: Using?
    /// Ids that are taken out of the table before matching. Error bodies go without them too.
    public var excluding: Set<String>
    /// Replaces the policy's acceptable statuses.
    public var acceptableStatus: StatusSet?

    public init(using: Using? = nil, excluding: Set<String> = [], acceptableStatus: StatusSet? = nil) {
        self.using = using
        self.excluding = excluding
        self.acceptableStatus = acceptableStatus
    }

    /// Changes nothing.
    public static var none: LookupOverride { LookupOverride() }
}
