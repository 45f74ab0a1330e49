/// Bytes of UTF-8 in libxml2's memory, which are there as long as the event is handled and no longer.
typealias XMLBytes = UnsafeBufferPointer<UInt8>

/// One thing that a parser reports, in document order.
enum XMLEvent {
    case start(XMLStartTag)
    case end
    /// Some of the text: one run of it can come in pieces.
    case text(XMLBytes)
    case cdata(XMLBytes)
    case comment(XMLBytes)
    case processingInstruction(target: XMLBytes, data: XMLBytes)
}
