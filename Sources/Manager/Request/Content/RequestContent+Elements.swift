import PatchbayPlatform
public import PatchbayRegistry

extension RequestContent {
    /// The elements of a sequence. Each element is written when it is fetched, while the body is sent.
    ///
    /// The first entry that is for the host, covers the media type and can write elements writes the elements. The
    /// standard table writes lines of JSON (`application/x-ndjson`), JSON text sequences (`application/json-seq`, RFC
    /// 7464) and CSV (`text/csv`, RFC 4180). If no entry can write them, the call fails with code `noWriter` before
    /// anything is sent.
    ///
    /// Elements are fetched at most 256 KiB ahead of sending. An error of the sequence fails the call with code
    /// `unreadableContent`, and an element that cannot be written fails it with code `writing`. In both cases the
    /// connection is closed before the body is complete. To send an array, use `.value(array, in: .ndjson)`.
    /// - Parameters:
    ///   - elements: the sequence. Its iteration begins when the body is sent.
    ///   - type: the media type, which becomes the Content-Type.
    ///   - isRepeatable: whether each iteration of the sequence starts at the first element. Then a redirect or a retry
    ///     can send the elements again; otherwise sending them again is an error.
    public static func elements<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, in type: MediaType = .ndjson, isRepeatable: Bool = false
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        let pass = elements.pass(isRepeatable: isRepeatable)
        let unwritten = UnwrittenContent(
            .elements(Elements.Element.self) { lookup, writer in
                .source(
                    SequenceSource(isRepeatable: isRepeatable, pass) { element, place in
                        do {
                            let value = unwrapped(element) ?? element
                            return try writer.writeElement(value, at: place, as: lookup.type)
                        } catch let error as EncodingError {
                            throw lookup.failure(error.inElement(place))
                        } catch {
                            throw lookup.failure(error)
                        }
                    })
            }, in: type)
        return RequestContent(unwritten, isStreamed: true)
    }
}
