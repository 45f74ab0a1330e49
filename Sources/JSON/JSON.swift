/// A JSON value: a place in an immutable document that it shares with every value taken from it.
///
/// Nothing is built when a document is parsed: values read the tape in place, and taking a part costs a reference.
/// A value keeps its whole document alive.
///
///     let reply = try JSON(parsing: data)
///     let name = reply["user"]?["name"]?.string
///
/// Object keys and strings are compared by their UTF-8 bytes. An object never shows two members with one key.
public struct JSON: Sendable {
    /// What a value is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case null, bool, number, string, array, object
    }

    let tape: Tape
    let index: Int

    /// A value of a tape without duplicate keys, the root if no other is named.
    init(_ tape: Tape, at index: Int = 1) {
        self.tape = tape
        self.index = index
    }

    /// What this value is.
    public var kind: Kind {
        switch tape.tag(at: index) {
        case Tag.object: .object
        case Tag.array: .array
        case Tag.string: .string
        case Tag.int, Tag.uint, Tag.double: .number
        case Tag.true, Tag.false: .bool
        default: .null
        }
    }

    /// The number of elements or members; 0 for any other value.
    public var count: Int { tape.count(at: index) }

    /// The value under a key, or nil where there is none or this is no object. Time grows with the number of members.
    public subscript(key: String) -> JSON? {
        tape.value(forKey: key, inObject: index).map { JSON(tape, at: $0) }
    }

    /// The element at a place counted from 0, or nil outside the array or where this is no array.
    public subscript(position: Int) -> JSON? {
        guard tape.tag(at: index) == Tag.array, position >= 0 else { return nil }
        var cursor = index + 1
        let last = tape.end(of: index) - 1
        var remaining = position
        while cursor < last {
            if remaining == 0 { return JSON(tape, at: cursor) }
            cursor = tape.end(of: cursor)
            remaining -= 1
        }
        return nil
    }
}
