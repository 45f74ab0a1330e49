/// What a factory is told beside its options: the entry that the serializer is for.
public struct FactoryContext: Sendable {
    /// The id of the entry in the manifest.
    public let entryID: String
    /// The largest body, in bytes, that the entry will be given.
    public let maximumBodyBytes: Int

    /// For tests of a factory of your own.
    public init(entryID: String, maximumBodyBytes: Int) {
        self.entryID = entryID
        self.maximumBodyBytes = maximumBodyBytes
    }
}
