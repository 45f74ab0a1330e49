/// A queue: elements leave in the order in which they arrived. The collection has the waiting elements, oldest first.
///
/// Each element is moved once, whatever the number of waiting elements: `removeFirst` of an array moves all of them each
/// time.
struct Queue<Element> {
    /// The older elements, in reverse order.
    private var leaving: [Element] = []
    private var arriving: [Element]

    init(_ elements: [Element] = []) { arriving = elements }

    mutating func append(_ element: Element) { arriving.append(element) }

    /// Removes and returns the oldest element; nil if the queue is empty.
    mutating func popFirst() -> Element? {
        if leaving.isEmpty {
            swap(&leaving, &arriving)
            leaving.reverse()
        }
        return leaving.popLast()
    }
}

extension Queue: Sendable where Element: Sendable {}

extension Queue: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { leaving.count + arriving.count }

    subscript(position: Int) -> Element {
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
