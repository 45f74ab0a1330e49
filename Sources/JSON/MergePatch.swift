/// A JSON merge patch (RFC 7396 §2), applied with a stack of its own in place of recursion.
struct MergePatch {
    /// An object being written: first the members of the target that stay, then those that only the patch has.
    private struct Frame {
        let target: KeyIndex?
        let patch: KeyIndex
        let start: Int
        var members: Members
        var additions: Members
        var count = 0
    }

    /// The words of keys still to come.
    private struct Members {
        let tape: Tape
        var cursor: Int
        let end: Int

        init(of object: JSON) {
            tape = object.tape
            cursor = object.index + 1
            end = object.tape.end(of: object.index) - 1
        }

        mutating func next() -> Int? {
            guard cursor < end else { return nil }
            defer { cursor = tape.end(of: cursor + 1) }
            return cursor
        }
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

    /// Starts the object that a patch makes of a target; anything but an object counts as an empty one.
    private mutating func open(_ target: JSON?, _ patch: JSON) {
        let target = target.flatMap { $0.kind == .object ? $0 : nil }
        var members = Members(of: target ?? patch)
        if target == nil { members.cursor = members.end }
        frames.append(
            Frame(
                target: target.map { KeyIndex($0.tape, object: $0.index) },
                patch: KeyIndex(patch.tape, object: patch.index), start: builder.open(Tag.object),
                members: members, additions: Members(of: patch)))
    }

    /// Writes the next member of the innermost object, or closes it.
    private mutating func step() {
        let level = frames.count - 1
        if let key = frames[level].members.next() {
            let source = frames[level].members.tape
            guard let value = frames[level].patch.value(forKey: source.bytes(at: key)) else {
                frames[level].count += 1
                builder.copy(source, at: key)
                return builder.copy(source, at: key + 1)
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
