import PatchbayRegistry

/// One response to try a serializer of elements on, and the elements that are in it.
public struct ElementSample<Element: Sendable>: Sendable {
    /// The response.
    public let response: ConformanceSample
    /// The elements that a good sample has, or those before what is wrong in a bad one.
    public let elements: [Element]

    /// - Parameter elements: those that a serializer is to give, in their order.
    public init(_ response: ConformanceSample, _ elements: [Element]) {
        self.response = response
        self.elements = elements
    }
}

extension ElementSample: CustomStringConvertible, CustomReflectable {
    /// `two lines, 3 bytes, 2 elements`
    public var description: String {
        "\(response), \(elements.count == 1 ? "1 element" : "\(elements.count) elements")"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
