package import PatchbayJSON
import PatchbayPlatform
import Synchronization

// The list of all elements of a body. Such a list can take much more memory than the body, so its size is counted while
// it grows. A stream has no list: its reader keeps the elements, or releases them.

/// The size of a list of elements in bytes, which has the same limit as a parsed JSON document.
package final class ListSize: Sendable {
    package static let limit = JSON.ParseOptions().maximumSize

    private let limit: Int
    private let bytes = Atomic(0)

    package init(limit: Int = ListSize.limit) { self.limit = limit }

    /// - Parameter bytes: the size of one more element, or of what was parsed for it; never negative.
    package func add(_ bytes: Int) throws(ListLimitFailure) {
        guard self.bytes.wrappingAdd(bytes, ordering: .relaxed).newValue <= limit else {
            throw ListLimitFailure(limit: limit)
        }
    }
}

/// The elements of a body take more memory than a list is allowed to take.
package struct ListLimitFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let limit: Int

    package init(limit: Int) { self.limit = limit }

    package var description: String {
        "the elements take more than \(limit) bytes once they are parsed; a stream reads them one by one"
    }
}

extension ListLimitFailure: FormatFault {
    package var formatFailure: FormatFailure { FormatFailure(self, "body", .limit, description) }
}

/// A parser that makes elements of types that are not `MeasuredElement`s. It counts what it has parsed for each of them.
package protocol CountingElementParser<Element>: ElementParser {
    /// Gets the bytes that were parsed for an element, before the element is emitted. Nil if no list is made.
    var listSize: ListSize? { get set }
}

/// An element that knows the memory it takes.
package protocol MeasuredElement: Sendable {
    /// The bytes that the element takes outside the list.
    var parsedBytes: Int { get }

    /// The same elements in less memory. By default, they are returned as they are.
    static func packed(_ elements: [Self]) -> [Self]
}

extension MeasuredElement {
    package static func packed(_ elements: [Self]) -> [Self] { elements }
}

extension JSON: MeasuredElement {}

extension String: MeasuredElement {
    /// A text of at most 15 bytes is inside the list. A longer one has a block with 32 bytes before it.
    package var parsedBytes: Int { utf8.count > 15 ? utf8.count + 32 : 0 }
}

extension ResponsePart: MeasuredElement {
    /// The objects and the padding of a body take up to 512 bytes.
    package var parsedBytes: Int {
        fields.reduce(body.count + 512) { $0 + 32 + $1.name.parsedBytes + $1.value.parsedBytes }
    }
}

extension Optional: MeasuredElement where Wrapped: MeasuredElement {
    package var parsedBytes: Int { self?.parsedBytes ?? 0 }

    package static func packed(_ elements: [Self]) -> [Self] {
        var packed = Wrapped.packed(elements.compactMap { $0 })[...]
        return elements.map { $0 == nil ? nil : packed.popFirst() }
    }
}

/// A list of elements while it grows.
private struct ElementList<Element: Sendable> {
    /// The number of elements that are packed together. Shorter lists are not worth the work.
    private static var packedCount: Int { 1024 }

    private var packed: [[Element]] = []
    private var last: [Element] = []
    private let size: ListSize
    private let measure: ((Element) -> Int)?
    /// What each element takes in the list, and in the block of a collection, which has at least 128 bytes.
    private let least: Int
    private let pack: (([Element]) -> [Element])?

    /// - Parameter size: counts the elements, and what they take outside the list if they are `MeasuredElement`s.
    init(_ size: ListSize) {
        func functions<Measured: MeasuredElement>(_ type: Measured.Type) -> (measure: Any, pack: Any) {
            let measure: (Measured) -> Int = { $0.parsedBytes }
            let pack: ([Measured]) -> [Measured] = { Measured.packed($0) }
            return (measure, pack)
        }
        self.size = size
        let isCollection = Element.self is any Collection.Type && !(Element.self is any MeasuredElement.Type)
        least = MemoryLayout<Element>.stride + (isCollection ? 128 : 0)
        let functions = (Element.self as? any MeasuredElement.Type).map { functions($0) }
        measure = functions?.measure as? (Element) -> Int
        pack = functions?.pack as? ([Element]) -> [Element]
    }

    /// - Throws: `ListLimitFailure`; `CancellationError` if the call that makes the list is over. That is asked for every
    ///   16th element.
    mutating func append(_ element: Element) throws {
        if last.count & 15 == 15 { try Interruption.check() }
        try size.add(least + (measure?(element) ?? 0))
        last.append(element)
        guard last.count == Self.packedCount else { return }
        packed.append(pack?(last) ?? last)
        last = []
    }

    /// All elements. They are moved once, into an array of their number: an array that grows takes up to three times
    /// its elements.
    consuming func finish() -> [Element] {
        guard !packed.isEmpty else { return last }
        var all: [Element] = []
        all.reserveCapacity(packed.count * Self.packedCount + last.count)
        for elements in packed { all += elements }
        all += last
        return all
    }
}

extension ElementParser {
    /// All elements of a whole body. The parser must be new.
    /// - Throws: `ListLimitFailure` if the elements take more bytes than `size` allows; `CancellationError` if the call
    ///   that makes the list is over.
    package mutating func elements(of body: ResponseBody, _ size: ListSize = ListSize()) throws -> [Element] {
        let isMeasured = Element.self is any MeasuredElement.Type
        guard !isMeasured, var counting = self as? any CountingElementParser<Element> else {
            return try Self.elements(of: body, &self, size)
        }
        counting.listSize = size
        return try Self.elements(of: body, &counting, size)
    }

    private static func elements(
        of body: ResponseBody, _ parser: inout some ElementParser<Element>, _ size: ListSize
    ) throws -> [Element] {
        var list = ElementList<Element>(size)
        try body.withBytes { bytes in
            try parser.parse(Span(_bytes: bytes)) { try list.append($0) }
        }
        try parser.finish { try list.append($0) }
        return list.finish()
    }
}
