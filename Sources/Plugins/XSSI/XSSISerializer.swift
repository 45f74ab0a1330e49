package import PatchbayJSON
package import PatchbayRegistry

/// Removes the prefix that keeps a JSON document from running as a script. The entries after this one read the
/// remaining body.
///
/// The default prefix is `)]}',` and a line feed. A body that doesn't begin with the prefix is unchanged, and so is the
/// media type. A response without a media type is declined.
package struct XSSISerializer: UnwrappingSerializer {
    /// The prefix to remove, compared byte by byte in UTF-8. The default is the prefix that Angular and Gerrit use.
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

/// The response has a body but no media type for it.
package struct UntypedResponseFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String { "the response has no media type, so there is none for what is behind the prefix" }
}

extension UntypedResponseFailure: FormatFault {
    package var formatFailure: FormatFailure {
        FormatFailure(self, "xssi", .unsupported, description)
    }
}

struct XSSIOptions: Decodable, Sendable {
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
