/// The options of a factory that has none: any key is refused.
public struct NoOptions: Decodable, Sendable {
    /// There are none.
    public init() {}
}
