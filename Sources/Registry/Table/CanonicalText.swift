extension String {
    /// The text of a value, which is the same in every process for equal values. `String(reflecting:)` writes the members of a set
    /// or a dictionary in an order that differs from process to process, and addresses into the names of private types.
    package init(canonical value: Any) {
        let mirror = Mirror(reflecting: value)
        let isWritten = value is any CustomDebugStringConvertible || value is any CustomStringConvertible
        let isOfParts: Bool =
            switch mirror.displayStyle {
            case .set?, .dictionary?, .collection?, .optional?, .tuple?: true
            // The author of the type can have written its text.
            case .struct?, .enum?: !isWritten && !mirror.children.isEmpty
            // The parts of a class can contain it again.
            default: false
            }
        guard isOfParts else {
            self = Self(reflecting: value).withoutAddresses
            return
        }
        var parts = mirror.children.map { part in
            (part.label.map { "\($0): " } ?? "") + Self(canonical: part.value)
        }
        if mirror.displayStyle == .set || mirror.displayStyle == .dictionary { parts.sort() }
        self = "\(Self(reflecting: type(of: value)).withoutAddresses)(\(parts.joined(separator: ", ")))"
    }

    private var withoutAddresses: String { replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "") }
}
