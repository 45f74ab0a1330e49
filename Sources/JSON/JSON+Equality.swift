extension JSON: Hashable {
    /// Compares numbers by value (1 equals 1.0, and -0.0 equals 0), objects whatever the order of their keys, strings by bytes.
    public static func == (left: JSON, right: JSON) -> Bool {
        if left.tape === right.tape && left.index == right.index { return true }
        return TapeComparison(left: left.tape, right: right.tape).areEqual(left.index, right.index)
    }

    /// Agrees with `==`: every scalar is mixed with the path that leads to it, and the results are added up.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(TapeDigest(tape: tape).digest(of: index))
    }
}
