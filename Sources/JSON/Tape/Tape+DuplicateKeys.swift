extension Tape {
    /// Set in the word of a key to say that its member is to be dropped, or in that of a null; only until `keep` has run.
    static let dropped: UInt64 = 1 << 55

    /// The word of the first repetition of the key at `key`.
    func repetition(ofKey key: Int) -> Int? {
        var cursor = end(of: key + 1)
        while tag(at: cursor) == Tag.string {
            if isString(at: cursor, equalTo: bytes(at: key)) { return cursor }
            cursor = end(of: cursor + 1)
        }
        return nil
    }
}
