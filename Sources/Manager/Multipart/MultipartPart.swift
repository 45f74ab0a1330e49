import PatchbayPlatform
import PatchbayRegistry

/// One part of a form: its header fields, checked, and where its bytes come from.
struct MultipartPart: Sendable {
    enum Body: Sendable {
        case data(Data)
        case source(length: Int64?, @Sendable () throws -> any RequestBodySource)
    }

    /// The header fields and the empty line that ends them.
    let head: Data
    let body: Body

    private static let maximumHeadBytes = 16_384

    init(_ name: String, _ fileName: String?, _ type: String?, _ body: Body) throws(ContentFailure) {
        var disposition = "form-data; name=\"\(try Self.quotable(name))\""
        if let fileName { disposition += "; filename=\"\(try Self.quotable(fileName))\"" }
        var fields: HeaderFields = ["Content-Disposition": disposition]
        fields["Content-Type"] = type ?? fileName.map(FileMediaType.ofFile)
        try self.init(fields, body)
    }

    init(_ fields: HeaderFields, _ body: Body) throws(ContentFailure) {
        do throws(Refusal) {
            try RequestCheck.check(fields)
        } catch {
            throw ContentFailure(.invalidHeader, "in a part of the form, \(error.reason)")
        }
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        guard lines.utf8.count <= Self.maximumHeadBytes else {
            throw ContentFailure(
                .headersTooLarge, "the header of a part of the form is larger than \(Self.maximumHeadBytes) bytes")
        }
        head = Data(lines.utf8)
        self.body = body
    }

    /// A name inside quotation marks (WHATWG HTML, section 4.10.21.8, multipart/form-data): a quotation mark becomes `%22`. A
    /// line break, which would become `%0D%0A`, is refused: no form control can have one in its name.
    private static func quotable(_ name: String) throws(ContentFailure) -> String {
        guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ContentFailure(
                .invalidName, "the name of a part or of its file has a line break or a control character in it")
        }
        return name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "%22")
    }
}
