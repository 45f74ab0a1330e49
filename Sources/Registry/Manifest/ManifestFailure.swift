/// Why a manifest was refused: everything that is wrong with it, not only the first fault.
///
/// Nothing is half loaded: whoever catches this still has the registry from before.
public struct ManifestFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, file by file, each file from top to bottom. There is at least one.
    public let issues: [Issue]

    init(_ issues: [Issue]) { self.issues = issues }

    init(_ code: Issue.Code, file: String, pointer: String = "", _ message: String, suggestion: String? = nil) {
        self.init([Issue(code, file: file, pointer: pointer, message, suggestion: suggestion)])
    }

    /// One line a fault.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
