import PatchbayPlatform
import PatchbayRegistry

/// Content whose bytes are written when the call knows its registry, its host and its media type.
///
/// A class, so that a call sees whether an interceptor has put other content in its place.
final class UnwrittenContent: Sendable {
    enum Kind: Sendable {
        /// Sent as it is.
        case given(BodyValue)
        case value(any Encodable & Sendable)
        /// Elements of this type, and what makes a body of them.
        case elements(any Sendable.Type, @Sendable (WriterLookup, any ElementWritingSerializer) -> RequestBody)
        /// A form, some parts of which have to be written.
        case form(MultipartFormData)
    }

    let kind: Kind
    /// The media type that the sender gave; nil where a field of the request or the policy says it.
    let type: MediaType?

    init(_ kind: Kind, in type: MediaType?) { (self.kind, self.type) = (kind, type) }

    /// The value of Content-Type that is known before.
    var contentType: String? {
        if let type { return type.description }
        return switch kind {
        case .given(let value): value.type.description
        case .form(let form): form.typeField
        case .value, .elements: nil
        }
    }

    /// What stands in a description for bytes that are not written yet.
    var placeholder: String {
        switch kind {
        case .given, .form: "<a body>"
        case .value(let value): "<a value of the type \(Swift.type(of: value))>"
        case .elements(let type, _): "<elements of the type \(type)>"
        }
    }
}

/// Content that was written: for a call, which keeps it for its next try.
struct WrittenContent: Sendable {
    fileprivate let content: UnwrittenContent
    fileprivate let terms: Terms
    /// The value of Content-Type.
    let contentType: String
    /// Makes the body of a try; that of a value is the same bytes each time.
    let makeBody: @Sendable () throws -> RequestBody
    /// Who wrote it; nil where no entry was asked.
    let lookup: WriterLookup?

    /// What it was written by, besides the registry of the call: where one is another, the content is written again.
    fileprivate struct Terms: Hashable {
        /// The pattern of the section of the host; nil for a host without one.
        let section: String?
        /// The value of Content-Type that was given; nil where the policy of the section says it.
        let contentType: String?
        let excluding: Set<String>
    }
}

extension UnwrittenContent {
    /// The content for one try, and the last one where nothing has changed that it was made of.
    ///
    /// - Parameter field: the value of Content-Type that the request has; nil for none.
    /// - Throws: `SessionError` with the code `noWriter` or `writing`.
    func written(
        _ field: String?, for host: CanonicalHost, by registry: SerializerRegistry, excluding: Set<String>,
        _ last: WrittenContent? = nil
    ) throws(SessionError) -> WrittenContent {
        let contentType = type?.description ?? field ?? contentType
        let terms = WrittenContent.Terms(
            section: registry.section(for: host).name, contentType: contentType, excluding: excluding)
        if let last, last.content === self, last.terms == terms { return last }
        switch kind {
        case .given(let value):
            let data: Data
            do throws(TextEncoder.Refusal) {
                data = try self.data(of: value, contentType)
            } catch {
                throw SessionError(.writing, "the request was not sent: \(error.description)")
            }
            return written(contentType ?? "", terms) { .data(data) }
        case .form(let form):
            var written = form
            try written.writeParts { part, field throws(SessionError) in
                try part.written(field, for: host, by: registry, excluding: excluding)
            }
            return self.written(contentType ?? "", terms) { [written] in .source(try written.makeSource()) }
        case .value(let value):
            let lookup = try lookup(.value(value), contentType, for: host, by: registry, excluding)
            let data: Data
            do {
                data = try lookup.write(value)
            } catch {
                throw SessionError(writing: error, lookup)
            }
            return written(contentType ?? lookup.type.description, terms, lookup) { .data(data) }
        case .elements(let type, let make):
            let lookup = try lookup(.elements(type), contentType, for: host, by: registry, excluding)
            guard let writer = lookup.writer?.elements else { throw SessionError(noWriter: lookup) }
            return written(contentType ?? lookup.type.description, terms, lookup) { make(lookup, writer) }
        }
    }

    private func written(
        _ contentType: String, _ terms: WrittenContent.Terms, _ lookup: WriterLookup? = nil,
        _ makeBody: @escaping @Sendable () throws -> RequestBody
    ) -> WrittenContent {
        WrittenContent(
            content: self, terms: terms, contentType: contentType, makeBody: makeBody, lookup: lookup)
    }

    /// The body where no entry has to be asked: for a description, and for a form that is written to a file.
    ///
    /// - Parameter field: the value of Content-Type that the request, or the part of a form, has; nil for none.
    func bodyOutsideCall(_ field: String? = nil) throws -> RequestBody {
        switch kind {
        case .given(let value): return .data(try data(of: value, type?.description ?? field ?? contentType))
        case .form(let form): return .source(try form.makeSource())
        case .value, .elements:
            throw ContentFailure(.unwritten, "a value can only be written in a call, by an entry of the registry")
        }
    }

    /// Who writes it.
    private func lookup(
        _ subject: WriterLookup.Subject, _ contentType: String?, for host: CanonicalHost,
        by registry: SerializerRegistry, _ excluding: Set<String>
    ) throws(SessionError) -> WriterLookup {
        var type = type
        if type == nil, let contentType {
            type = MediaType(parsing: contentType)
            guard type != nil else {
                throw SessionError(
                    .noWriter,
                    "the request was not sent: its Content-Type is no media type, so that no entry can be asked to write the body"
                )
            }
        }
        let lookup = registry.writer(
            of: subject, as: type ?? registry.policy(for: host).requestContentType, for: host, excluding: excluding)
        guard lookup.writer != nil else { throw SessionError(noWriter: lookup) }
        return lookup
    }

    private func data(of value: BodyValue, _ contentType: String?) throws(TextEncoder.Refusal) -> Data {
        switch value {
        case .bytes(let data): data
        case .text(let text): try TextEncoder.encode(text, in: contentType.flatMap { MediaType(parsing: $0) })
        }
    }
}

extension SessionError {
    /// No entry writes the body.
    init(noWriter lookup: WriterLookup) {
        self.init(.noWriter, "the request was not sent: \(lookup.refusal)") { $0.writer = lookup }
    }

    /// The entry that was asked to write the body threw.
    init(writing error: any Error, _ lookup: WriterLookup) {
        self.init(.writing, "the request was not sent: \(lookup.failure(error).description)", cause: error) {
            $0.writer = lookup
            $0.writingFailure = error
        }
    }
}
