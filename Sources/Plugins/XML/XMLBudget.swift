/// What a parser has handed on so far, held against the limits.
struct XMLBudget {
    private let limits: XMLLimits
    private var charactersLeft: Int
    private(set) var depth = 0
    private var rootSeen = false

    init(_ text: XMLText) {
        limits = text.limits
        charactersLeft = text.maximumCharacters
    }

    /// Whether a whole root element has been read.
    var isComplete: Bool { rootSeen && depth == 0 }

    /// Takes in a start tag with so many attributes, whose values have so many bytes.
    /// - Throws: the failure without a place.
    mutating func start(attributes: Int, bytes: Int) throws(XMLFailure) {
        rootSeen = true
        depth += 1
        guard depth <= limits.maximumDepth else {
            throw XMLFailure(.depth, "its elements are nested more than \(limits.maximumDepth) deep")
        }
        guard attributes <= limits.maximumAttributes else {
            throw XMLFailure(.attributes, "an element has more than \(limits.maximumAttributes) attributes")
        }
        try take(bytes)
    }

    mutating func end() { depth -= 1 }

    /// Takes in so many bytes of text, a comment or an instruction.
    /// - Throws: the failure without a place.
    mutating func take(_ bytes: Int) throws(XMLFailure) {
        guard bytes <= charactersLeft else {
            throw XMLFailure(.characters, "it stands for more text than a body of its size may")
        }
        charactersLeft -= bytes
    }
}
