import PatchbayCodings
public import PatchbayPlatform
import PatchbayRegistry

/// An interrupted download, to resume it with `DownloadDestination.resuming(_:)`, which names its file once more.
///
/// If its destination is `resumable()`, an interrupted download leaves its `.part` file, and its error has this value
/// (`SessionError.resumption`). You can encode this value and use it in another process. It contains the names of the
/// files, the version of the bytes, and a digest of the method and URL of the request. The value is valid for one call.
/// If that call is interrupted too, its error has a new value.
public struct DownloadResumption: Sendable, Hashable, Codable {
    /// The final file.
    public let file: URL
    /// The final length of the file, if the server announced it.
    public let expectedBytes: Int?
    let partName: String
    let replacesFile: Bool
    let isTemporary: Bool
    let mark: FileIdentity
    let validator: StrongValidator
    /// A digest of the request's method and URL, which does not reveal them.
    let target: String

    /// The `.part` file with the bytes that were received, in the folder of `file`.
    public var part: URL { file.deletingLastPathComponent().appending(path: partName) }

    /// The number of bytes in the `.part` file.
    public var bytes: Int { mark.bytes }

    /// The start of the range to request. If all bytes can already be in the part file, the last byte is fetched again:
    /// a server answers a range after the end of a file with an error, not with a response that names the version of
    /// the file.
    var start: Int {
        guard let expectedBytes, bytes < expectedBytes else { return bytes - 1 }
        return bytes
    }

    /// Discards the download: removes the `.part` file, unless it was changed or replaced.
    public func discard() {
        guard let folder = try? OpenFolder(of: file, creates: false),
            let status = try? folder.status(of: partName), FileIdentity(status) == mark
        else { return }
        _ = FileCalls.system.remove(folder.descriptor, partName)
    }
}

extension DownloadResumption {
    private enum CodingKeys: CodingKey {
        case file, expectedBytes, partName, replacesFile, isTemporary, mark, validator, target
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        file = try container.decode(URL.self, forKey: .file)
        expectedBytes = try container.decodeIfPresent(Int.self, forKey: .expectedBytes)
        partName = try container.decode(String.self, forKey: .partName)
        replacesFile = try container.decode(Bool.self, forKey: .replacesFile)
        isTemporary = try container.decode(Bool.self, forKey: .isTemporary)
        mark = try container.decode(FileIdentity.self, forKey: .mark)
        validator = try container.decode(StrongValidator.self, forKey: .validator)
        target = try container.decode(String.self, forKey: .target)
        // The encoded value comes from outside the process and can be invalid.
        guard PartName.isOne(partName), mark.bytes > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .partName, in: container, debugDescription: "not the .part file of a download")
        }
    }
}

extension DownloadResumption: CustomStringConvertible, CustomReflectable {
    /// `film.mp4, 5,000 of 10,000 bytes`
    public var description: String {
        let amount = expectedBytes.map { "\(ByteCount.grouped(bytes)) of \(ByteCount($0))" }
        return "\(file.lastPathComponent), \(amount ?? "\(ByteCount(bytes))")"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension DownloadResumption {
    /// Checks that a response of status 206 is the missing part of the file (RFC 9110, section 15.3.7).
    /// - Returns: the end of its range, and the length of the whole file.
    func check(_ head: ResponseHead) throws(Refusal) -> (end: Int, length: Int) {
        guard !head.fields.hasContentCoding else { throw Refusal("the response has a content coding") }
        guard let range = ContentRange(head.fields), range.first == start else {
            throw Refusal("the response has no Content-Range that begins at byte \(start)")
        }
        guard validator.agrees(with: head.fields) else {
            throw Refusal("the response is of another version: its \(validator.name) is missing or differs")
        }
        guard let length = range.complete ?? expectedBytes, length == expectedBytes ?? length, range.last < length
        else {
            throw Refusal("the response does not say the length of the file, or another than before")
        }
        return (range.last + 1, length)
    }
}

/// The range of a response with status 206 (RFC 9110, section 14.4).
struct ContentRange: Hashable {
    let first: Int
    let last: Int
    /// The length of the whole file; nil if the server does not give it.
    let complete: Int?

    /// Whether the range is the whole file.
    var isWhole: Bool { first == 0 && complete.map { last == $0 - 1 } ?? false }

    /// Returns nil unless there is exactly one field, `bytes first-last/complete`, with `first` ≤ `last` < `complete`.
    init?(_ fields: HeaderFields) {
        let values = fields.values(for: "Content-Range")
        guard values.count == 1, let words = values.first?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bytes"
        else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).compactMap(\.decimalNumber)
        guard ends.count == 2, ends[0] <= ends[1] else { return nil }
        (first, last) = (ends[0], ends[1])
        guard halves[1] != "*" else {
            complete = nil
            return
        }
        guard let length = halves[1].decimalNumber, last < length else { return nil }
        complete = length
    }
}
