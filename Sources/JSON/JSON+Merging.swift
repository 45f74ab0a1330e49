extension JSON {
    /// Where `removingNulls` looks for nulls.
    public enum NullRemoval: String, Sendable, Hashable {
        /// Members of objects.
        case keys
        /// Members of objects and elements of arrays.
        case keysAndElements
    }

    /// The value without the nulls inside it, at every depth. A value that is null itself stays.
    public func removingNulls(_ removal: NullRemoval) -> JSON {
        let end = tape.end(of: index)
        var containers: [(isObject: Bool, end: Int)] = []
        // The marks go into a copy, which has the same indices.
        var kept: Tape?
        var cursor = index
        while cursor < end {
            if let container = containers.last, container.end == cursor {
                containers.removeLast()
                cursor += 1
                continue
            }
            let isMember = containers.last?.isObject ?? false
            let value = isMember ? cursor + 1 : cursor
            switch tape.tag(at: value) {
            case Tag.object, Tag.array:
                containers.append((tape.tag(at: value) == Tag.object, tape.end(of: value) - 1))
                cursor = value + 1
                continue
            case Tag.null where isMember || (!containers.isEmpty && removal == .keysAndElements):
                let copy = kept ?? tape.copy(through: index)
                copy.words[cursor] |= Tape.dropped
                kept = copy
            default: break
            }
            cursor = tape.end(of: value)
        }
        guard let kept else { return self }
        kept.keep(index)
        return JSON(kept)
    }

    /// The value after a JSON merge patch (RFC 7396): members of the patch replace or join those here, nulls remove them.
    ///
    /// The patch's new members follow the members that stay.
    public func mergePatched(by patch: JSON) -> JSON {
        MergePatch.apply(patch, to: self)
    }
}
