extension JSON {
    /// The value that a JSON pointer (RFC 6901) such as `/a/0/b` names, or nil where it names nothing or is malformed.
    ///
    /// The empty pointer names the value itself.
    public func pointer(_ pointer: String) -> JSON? {
        JSONPointer(pointer)?.resolve(in: tape, at: index).map { JSON(tape, at: $0) }
    }
}
