import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file that a download is to make.
struct FileTarget: Sendable {
    let destination: DownloadDestination
    /// Whether the finished file is serialized, so that the limits of its entry hold.
    let isSerialized: Bool
    var calls = FileCalls.system

    func open(_ head: ResponseHead) -> BodyStore {
        do {
            let (url, options) = try destination.resolve(head)
            return .file(try PartialFile(url, options, calls))
        } catch let failure as FileFailure {
            return .nowhere(failure)
        } catch {
            return .nowhere(FileFailure(name: "the destination", .other("choosing it failed with \(type(of: error))")))
        }
    }
}
