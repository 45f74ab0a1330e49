// A sort that is compiled once. The compiler makes a copy of the standard library's sort for each type of element and each
// closure, some 3 KB of every program. These two are not inlinable, so all modules share one copy, which is a few times
// slower: for lists that are sorted once, not for each value of a body.

extension Sequence {
    /// The elements, sorted by the condition. Equal ones stay in their order.
    package func inOrder(by areInIncreasingOrder: (Element, Element) -> Bool) -> [Element] {
        sorted(by: areInIncreasingOrder)
    }
}

extension Sequence where Element: Comparable {
    /// The elements, sorted by `<`. Equal ones stay in their order.
    package func inOrder() -> [Element] { sorted() }
}
