/// The options of a factory that has none: any key is refused.
public struct NoOptions: Decodable, Sendable {
    public init() {}
}
