public import PatchbayPlatform

extension LookupFailure: SafeToPrint {}

extension ManifestFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}
