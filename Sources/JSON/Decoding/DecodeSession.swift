/// What all decoders of one `decode` call share.
final class DecodeSession {
    /// How many values may lie inside each other, so that a value built in code cannot exhaust the stack.
    static let maximumDepth = 512

    let options: JSON.DecodeOptions
    let isSnakeCase: Bool
    let audit: KeyAudit?

    init(_ options: JSON.DecodeOptions, _ audit: KeyAudit? = nil) {
        self.options = options
        isSnakeCase = options.keys == .snakeCase
        self.audit = audit
    }
}
