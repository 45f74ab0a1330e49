/// Why a body is no image that can be had here.
public enum ImageFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The first bytes are those of no format that is decoded.
    case unknownFormat
    /// The bytes are of another format than the Content-Type says.
    case wrongFormat(declared: String, found: ImageFormat)
    case noDimensions
    case tooLarge(width: Int, height: Int)
    /// All frames together have more than so many bytes.
    case tooManyBytes(limit: Int)
    /// The image has no end, or too few bytes for its pixels.
    case truncated(ImageFormat)
    /// The decoder refused it, with a code of its own.
    case undecodable(ImageFormat, code: Int)

    public var description: String {
        switch self {
        case .unknownFormat:
            "the image is in none of the formats \(ImageFormat.allCases.map(\.rawValue).joined(separator: ", "))"
        case .wrongFormat(let declared, let found):
            "the image is declared as \(declared.prefix(100)), and is \(found.rawValue)"
        case .noDimensions: "the header of the image has no dimensions"
        case .tooLarge(let width, let height): "the image of \(width) by \(height) pixels is larger than is allowed"
        case .tooManyBytes(let limit): "the image has more than \(limit) bytes when it is decoded"
        case .truncated(let format): "the \(format.rawValue) image ends too early"
        case .undecodable(let format, let code): "the \(format.rawValue) image could not be decoded (code \(code))"
        }
    }
}
