public import PatchbayRegistry

/// Fields that are sent behind the content of a request (RFC 9110, section 6.5): what is known only when all of it was read, such as
/// its digest.
///
/// ```swift
/// request.trailers = RequestTrailers("Content-Digest") { ["Content-Digest": digest.value] }
/// ```
///
/// Such a request goes over HTTP/1.1 and is sent chunked, its content without an end known before, or empty, as well. Of a request
/// without content the fields come behind an empty one.
public struct RequestTrailers: Sendable {
    /// The names of the fields, which the `Trailer` field of the head announces.
    public let names: [String]
    private let make: @Sendable () throws -> HeaderFields

    /// Fields that are made when the content has ended, anew each time it is sent.
    /// - Parameters:
    ///   - names: all that may be among the fields. A request with a name that no trailer may have is not sent (RFC 9110, section 6.5.1).
    ///   - make: called once all of the content was read, on a thread where it may block. What it throws, and a field that is not
    ///     among the names, fails the request, and the connection is closed before the body looks whole.
    public init(_ names: String..., make: @escaping @Sendable () throws -> HeaderFields) {
        (self.names, self.make) = (names, make)
    }

    /// Fields that are known beforehand.
    public init(_ fields: HeaderFields) {
        var names: [String] = []
        for field in fields where !names.haveField(field.name) {
            names.append(field.name)
        }
        (self.names, make) = (names, { fields })
    }

    /// The fields, checked.
    func fields() throws -> HeaderFields {
        let fields = try make()
        for field in fields where !names.haveField(field.name) {
            throw ContentFailure(.invalidTrailer, "a field behind it was not announced")
        }
        do throws(Refusal) { try RequestCheck.check(fields) } catch {
            throw ContentFailure(.invalidTrailer, "behind it \(error.reason)")
        }
        return fields
    }
}

extension RequestTrailers: ExpressibleByDictionaryLiteral {
    /// Fields that are known beforehand.
    public init(dictionaryLiteral fields: (String, String)...) {
        self.init(HeaderFields(fields.map { HeaderFields.Field(name: $0, value: $1) }))
    }
}

extension RequestTrailers: CustomStringConvertible, CustomReflectable {
    /// The names alone: a value may be a secret.
    public var description: String { "[" + names.joined(separator: ", ") + "]" }
    public var customMirror: Mirror { Mirror(described: self) }
}
