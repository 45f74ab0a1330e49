/// A queue: elements leave in the order in which they arrived. The collection has the waiting elements, oldest first.
///
/// Each element is moved once, whatever the number of waiting elements: `removeFirst` of an array moves all of them each
/// time. Inlinable, because a generic type is not specialised for other modules.
@usableFromInline
package struct Queue<Element> {
    /// The older elements, in reverse order.
    @usableFromInline var leaving: [Element] = []
    @usableFromInline var arriving: [Element]

    @inlinable
    package init(_ elements: [Element] = []) { arriving = elements }

    @inlinable
    package mutating func append(_ element: Element) { arriving.append(element) }

    /// Removes and returns the oldest element; nil if the queue is empty.
    @inlinable
    package mutating func popFirst() -> Element? {
        if leaving.isEmpty {
            swap(&leaving, &arriving)
            leaving.reverse()
        }
        return leaving.popLast()
    }

    /// Adds an element that did not arrive last. Moves other elements.
    @inlinable
    package mutating func insert(_ element: Element, at position: Int) {
        if position < leaving.count {
            leaving.insert(element, at: leaving.count - position)
        } else {
            arriving.insert(element, at: position - leaving.count)
        }
    }

    /// Removes and returns an element that is not the oldest. Moves other elements.
    @inlinable
    package mutating func remove(at position: Int) -> Element {
        position < leaving.count
            ? leaving.remove(at: leaving.count - 1 - position) : arriving.remove(at: position - leaving.count)
    }
}

extension Queue: Sendable where Element: Sendable {}

extension Queue: RandomAccessCollection {
    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { leaving.count + arriving.count }

    @inlinable
    package subscript(position: Int) -> Element {
        get { position < leaving.count ? leaving[leaving.count - 1 - position] : arriving[position - leaving.count] }
        _modify {
            if position < leaving.count {
                yield &leaving[leaving.count - 1 - position]
            } else {
                yield &arriving[position - leaving.count]
            }
        }
    }
}
