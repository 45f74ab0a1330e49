import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// Content whose bytes are written during the call, because only the call knows the registry, the host and the media
/// type.
///
/// A class, so that a call can detect by the identity of the object whether an interceptor replaced the content.
final class UnwrittenContent: Sendable {
    enum Kind: Sendable {
        /// Bytes, or text, that no entry writes.
        case given(BodyValue)
        case value(any Encodable & Sendable)
        /// The type of the elements, and the function that makes their body.
        case elements(any Sendable.Type, @Sendable (WriterLookup, any ElementWritingSerializer) -> RequestBody)
        /// A form with parts that must be written.
        case form(MultipartFormData)
    }

    let kind: Kind
    /// The media type that the caller gave; nil if a field of the request or the policy decides it.
    let type: MediaType?

    init(_ kind: Kind, in type: MediaType?) { (self.kind, self.type) = (kind, type) }

    /// The value of Content-Type, if it does not depend on the policy.
    var contentType: String? {
        if let type { return type.description }
        return switch kind {
        // With a space, as most clients write it.
        case .given(.text): "text/plain; charset=utf-8"
        case .given(let value): value.type.description
        case .form(let form): form.typeField
        case .value, .elements: nil
        }
    }

    /// The text that the description of a request shows instead of the bytes.
    var placeholder: String {
        switch kind {
        case .given, .form: "<a body>"
        case .value(let value): "<a value of the type \(shownName(of: Swift.type(of: value)))>"
        case .elements(let type, _): "<elements of the type \(shownName(of: type))>"
        }
    }
}

/// Content that was written. A call keeps it for its next attempt.
struct WrittenContent: Sendable {
    fileprivate let content: UnwrittenContent
    fileprivate let terms: Terms
    var contentType: String { terms.contentType }
    /// Makes the body of an attempt; a value gives the same bytes each time.
    let makeBody: @Sendable () throws -> RequestBody
    /// The look-up of the entry that writes the content; nil if no look-up was needed.
    let lookup: WriterLookup?

    /// The inputs of the writing, besides the registry of the call: if one changes, the content is written again.
    fileprivate struct Terms: Hashable {
        /// The key of the section of the URL; nil for a URL without a section.
        let section: String?
        let contentType: String
        let excluding: Set<String>
    }
}

extension UnwrittenContent {
    /// Returns the content for one attempt: `last`, unless one of its inputs has changed.
    ///
    /// - Parameter field: the Content-Type of the request, or of the part of a form; nil if there is no such field.
    /// - Throws: `SessionError` with the code `noWriter` or `writing`.
    func written(
        _ field: String?, for host: CanonicalHost, at url: URL, by registry: SerializerRegistry, excluding: Set<String>,
        _ last: WrittenContent? = nil
    ) throws(SessionError) -> WrittenContent {
        let section = registry.section(for: host, at: url)
        let given = type?.description ?? field ?? contentType
        let terms = WrittenContent.Terms(
            section: section.name, contentType: given ?? section.policy.requestContentType.description,
            excluding: excluding)
        if let last, last.content === self, last.terms == terms { return last }
        func lookup(_ subject: WriterLookup.Subject) throws(SessionError) -> WriterLookup {
            let type = try mediaType(given) ?? section.policy.requestContentType
            let lookup = registry.writer(of: subject, as: type, for: host, at: url, excluding: excluding)
            guard lookup.writer != nil else { throw SessionError(noWriter: lookup) }
            return lookup
        }
        func written(
            _ lookup: WriterLookup? = nil, _ makeBody: @escaping @Sendable () throws -> RequestBody
        ) -> WrittenContent {
            WrittenContent(content: self, terms: terms, makeBody: makeBody, lookup: lookup)
        }
        switch kind {
        case .given(let value):
            let data: Data
            do throws(FormatFailure) {
                data = try self.data(of: value, given)
            } catch {
                throw SessionError(.writing, "the request was not sent: \(error.reason)", cause: error)
            }
            return written { .data(data) }
        case .form(var form):
            try form.writeParts { part, field throws(SessionError) in
                try part.written(field, for: host, at: url, by: registry, excluding: excluding)
            }
            return written { [form] in .source(try form.makeSource()) }
        case .value(let value):
            let lookup = try lookup(.value(value))
            // Another section in which the same entry writes gives the same bytes.
            if let last, last.content === self, last.contentType == terms.contentType,
                last.lookup?.writer === lookup.writer
            {
                return written(lookup, last.makeBody)
            }
            let data: Data
            do {
                data = try lookup.write(value)
            } catch is CancellationError where Task.isCancelled {
                throw SessionError(Timeouts.End.cancelled)
            } catch {
                throw SessionError(writing: error, lookup)
            }
            return written(lookup) { .data(data) }
        case .elements(let type, let make):
            let lookup = try lookup(.elements(type))
            guard let writer = lookup.writer?.elements else { throw SessionError(noWriter: lookup) }
            return written(lookup) { make(lookup, writer) }
        }
    }

    /// Makes the body without the registry, for a request that is described but not sent, and for a form that is
    /// written to a file. Throws for content that only an entry can write.
    ///
    /// - Parameter field: the Content-Type of the request, or of the part of a form; nil if there is no such field.
    func bodyOutsideCall(_ field: String? = nil) throws -> RequestBody {
        switch kind {
        case .given(let value): return .data(try data(of: value, type?.description ?? field ?? contentType))
        case .form(let form): return .source(try form.makeSource())
        case .value, .elements:
            throw ContentFailure(.unwritten, "a value can only be written in a call, by an entry of the registry")
        }
    }

    /// The media type of the body; nil if neither the caller nor a field of the request sets it.
    private func mediaType(_ given: String?) throws(SessionError) -> MediaType? {
        if let type { return type }
        guard let given else { return nil }
        guard let type = MediaType(parsing: given) else {
            throw SessionError(
                .noWriter,
                "the request was not sent: its Content-Type is not a media type, so no entry can write the body"
            )
        }
        return type
    }

    private func data(of value: BodyValue, _ contentType: String?) throws(FormatFailure) -> Data {
        switch value {
        case .bytes(let data): data
        case .text(let text): try TextEncoder.encode(text, in: contentType.flatMap { MediaType(parsing: $0) })
        }
    }
}

extension SessionError {
    /// The error of a body that no entry writes.
    init(noWriter lookup: WriterLookup) {
        self.init(.noWriter, "the request was not sent: \(lookup.refusal)") { $0.writer = lookup }
    }

    /// The error of a body whose entry threw while it wrote.
    init(writing error: any Error, _ lookup: WriterLookup) {
        self.init(.writing, "the request was not sent: \(lookup.failure(error).description)", cause: error) {
            $0.writer = lookup
            $0.writingFailure = error
        }
    }
}
