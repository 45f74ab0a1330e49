package import PatchbayJSON
package import PatchbayRegistry

/// Takes away the prefix that keeps a JSON document from running as a script, and leaves the rest to the entries behind it.
///
/// The prefix is `)]}',` and a line feed unless another is given. A body that does not begin with it is left as it is, and so
/// is the media type; a response without one is declined.
package struct XSSISerializer: UnwrappingSerializer {
    /// What is taken away, byte by byte as it stands here in UTF-8: the prefix that Angular and Gerrit know, unless another is given.
    package var prefix = ")]}',\n"

    package func declineReason(_ head: ResponseHead) -> String? {
        head.mediaType == nil ? "there is no media type to go on with" : nil
    }

    package func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType) {
        guard let mediaType = head.mediaType else { throw UntypedResponseFailure() }
        let rest: ResponseBody? = body.withUnsafeBytes { bytes in
            guard bytes.starts(with: prefix.utf8) else { return nil }
            return ResponseBody(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(prefix.utf8.count)))
        }
        return (rest ?? body, mediaType)
    }
}

/// There is a body, and no media type for what is in it.
package struct UntypedResponseFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String { "the response has no media type, so there is none for what is behind the prefix" }
}

extension UntypedResponseFailure: FormatFault {
    package var formatFailure: FormatFailure {
        FormatFailure(self, "xssi", .unsupported, description)
    }
}

struct XSSIOptions: Decodable, Sendable {
    /// The default is `")]}',\n"`.
    var prefix: String?
}

struct XSSIFactory: SerializerFactory {
    static let name = "xssi"

    func makeSerializer(_ options: XSSIOptions, _ context: FactoryContext) throws -> any Serializer {
        guard let prefix = options.prefix else { return XSSISerializer() }
        guard !prefix.isEmpty else { throw OptionFailure("prefix", "is empty") }
        return XSSISerializer(prefix: prefix)
    }
}
