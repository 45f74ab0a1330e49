extension MediaRange {
    /// Whether this range matches every media type that the other one matches.
    public func covers(_ other: MediaRange) -> Bool { [self].covers([other]) }

    /// The part of the question that is about parameters: this range asks for nothing that the other one does not.
    fileprivate func asksNoMore(than other: MediaRange) -> Bool {
        parameters.allSatisfy { other.parameters.contains($0) }
    }
}

extension [MediaRange] {
    /// Whether these ranges together match every media type that the others together match.
    ///
    /// Groups are taken apart first. Each of the other kinds stands for types without end, or for one, so that a union covers
    /// it only where one member does: the answer is exact.
    package func covers(_ others: [MediaRange]) -> Bool {
        others.allSatisfy { other in
            other.alternatives.allSatisfy { kind in
                contains { range in
                    range.asksNoMore(than: other) && range.alternatives.contains { $0.covers(kind) }
                }
            }
        }
    }
}

extension MediaRange.Kind {
    /// Whether this kind has every type that the other one has; neither is a group.
    fileprivate func covers(_ other: MediaRange.Kind) -> Bool {
        if self == other { return true }
        switch (self, other) {
        case (.any, _): return true
        case (.topLevel(let type), .topLevelSuffix(let otherType, _)): return type == otherType
        case (.suffix(let suffix), .topLevelSuffix(_, let otherSuffix)): return suffix == otherSuffix
        case (_, .exact(let essence)): return MediaType(essence).map(matches) ?? false
        default: return false
        }
    }
}
