import PatchbayCodings
public import PatchbayPlatform
import PatchbayRegistry

/// Where a download broke off, to go on from there: `DownloadDestination.resuming(_:)`.
///
/// A download whose destination is `resumable()` leaves its `.part` file and gives one of these with its error
/// (`SessionError.resumption`). It can be encoded and used by another process. It names files, holds the version that the server
/// gave the bytes, and no more of the request than a digest of its URL. It is good for one call; where that breaks off too, its
/// error has the next.
public struct DownloadResumption: Sendable, Hashable, Codable {
    /// The file that the download is to make.
    public let file: URL
    /// How long that file is in the end, if the server said so.
    public let expectedBytes: Int?
    let partName: String
    let replacesFile: Bool
    let isTemporary: Bool
    let mark: FileIdentity
    let validator: StrongValidator
    /// Says which resource it is without naming it.
    let target: String

    /// The file beside it that holds the bytes so far.
    public var part: URL { file.deletingLastPathComponent().appending(path: partName) }

    /// How many bytes there are.
    public var bytes: Int { mark.bytes }

    /// Where the rest begins. The last byte is fetched again where it may be the last of all: asking for what is behind the
    /// end of a file gives an error in place of an answer that says which version it is of.
    var start: Int {
        guard let expectedBytes, bytes < expectedBytes else { return bytes - 1 }
        return bytes
    }

    /// Gives the download up: removes the `.part` file, unless it has been changed or replaced.
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
        // It may have been anywhere in the meantime.
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
    /// Whether a response of status 206 is the rest of the file (RFC 9110, section 15.3.7).
    /// - Returns: where the bytes of the response end, and the length of the whole.
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

/// Which bytes of the whole a response of status 206 holds (RFC 9110, section 14.4).
struct ContentRange: Hashable {
    let first: Int
    let last: Int
    /// The length of the whole; nil where the server does not say.
    let complete: Int?

    /// Nil unless there is one field that is `bytes first-last/complete` in good order.
    init?(_ fields: HeaderFields) {
        let values = fields.values(for: "Content-Range")
        guard values.count == 1, let words = values.first?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bytes"
        else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).compactMap(Self.number)
        guard ends.count == 2, ends[0] <= ends[1] else { return nil }
        (first, last) = (ends[0], ends[1])
        guard halves[1] != "*" else {
            complete = nil
            return
        }
        guard let length = Self.number(halves[1]), last < length else { return nil }
        complete = length
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
