extension JSON: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { serialized() }

    /// The value as JSON text: UTF-8 that parses back to an equal value.
    ///
    /// Only what RFC 8259 §7 requires is escaped. A Double is written with the fewest digits that read back as the same one.
    ///
    /// - Parameters:
    ///   - pretty: one element or member a line, two spaces a level, `": "` after a key.
    ///   - sortedKeys: members by the bytes of their keys, else in document order.
    public func serialized(pretty: Bool = false, sortedKeys: Bool = false) -> String {
        var writer = TapeWriter(tape: tape, pretty: pretty, sortedKeys: sortedKeys)
        return writer.text(of: index)
    }
}

extension JSON: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension JSON.Object: CustomStringConvertible, CustomReflectable {
    /// The object as compact JSON text.
    public var description: String { json.description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
