extension JSON {
    /// The containers from which `removingNulls` removes nulls.
    package enum NullRemoval: String, CaseIterable, Sendable {
        case none
        /// Members of objects.
        case keys
        /// Members of objects and elements of arrays.
        case keysAndElements
    }

    /// The value without the nulls inside it, at every depth. A value that is itself null is kept.
    package func removingNulls(_ removal: NullRemoval) -> JSON {
        if case .none = removal { return self }
        let end = tape.end(of: index)
        var containers: [(isObject: Bool, end: Int)] = []
        // The marks are set in a copy, which has the same indices.
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

    /// The value after a JSON merge patch (RFC 7396): members of the patch replace or add members, and nulls remove
    /// them.
    ///
    /// Members that only the patch has come after the members of this value.
    public func mergePatched(by patch: JSON) -> JSON {
        MergePatch.apply(patch, to: self)
    }
}

/// A JSON merge patch (RFC 7396 §2), applied with a stack instead of recursion.
struct MergePatch {
    /// An object that is being written: first the remaining members of the target, then the members that only the patch
    /// has.
    private struct Frame {
        let target: KeyIndex?
        let patch: KeyIndex
        let start: Int
        /// The remaining keys of the target; nil if the target is not an object.
        var members: Tape.Items?
        /// The remaining keys of the patch.
        var additions: Tape.Items
        var count = 0
    }

    private var builder = TapeBuilder()
    private var frames: [Frame] = []

    static func apply(_ patch: JSON, to target: JSON) -> JSON {
        guard patch.kind == .object else { return patch }
        var merge = MergePatch()
        merge.open(target, patch)
        while !merge.frames.isEmpty { merge.step() }
        return JSON(merge.builder.finish())
    }

    /// Starts the object that a patch makes of a target. A target that is not an object counts as an empty object.
    private mutating func open(_ target: JSON?, _ patch: JSON) {
        let target = target.flatMap { $0.kind == .object ? $0 : nil }
        frames.append(
            Frame(
                target: target.map { KeyIndex($0.tape, object: $0.index) },
                patch: KeyIndex(patch.tape, object: patch.index), start: builder.open(Tag.object),
                members: target.map { $0.tape.items(of: $0.index) }, additions: patch.tape.items(of: patch.index)))
    }

    /// Writes the next member of the innermost object, or closes it.
    private mutating func step() {
        let level = frames.count - 1
        if let key = frames[level].members?.next(), let source = frames[level].members?.tape {
            guard let value = frames[level].patch.value(forKey: source.bytes(at: key)) else {
                frames[level].count += 1
                builder.copy(source, at: key)
                builder.copy(source, at: key + 1)
                return
            }
            write(key, of: source, JSON(source, at: key + 1), level, patchedBy: value)
        } else if let key = frames[level].additions.next() {
            let source = frames[level].additions.tape
            guard frames[level].target?.value(forKey: source.bytes(at: key)) == nil else { return }
            write(key, of: source, nil, level, patchedBy: key + 1)
        } else {
            builder.close(frames[level].start, count: frames[level].count)
            frames.removeLast()
        }
    }

    private mutating func write(_ key: Int, of source: Tape, _ target: JSON?, _ level: Int, patchedBy value: Int) {
        let patch = frames[level].additions.tape
        if patch.tag(at: value) == Tag.null { return }
        frames[level].count += 1
        builder.copy(source, at: key)
        if patch.tag(at: value) == Tag.object {
            open(target, JSON(patch, at: value))
        } else {
            builder.copy(patch, at: value)
        }
    }
}
