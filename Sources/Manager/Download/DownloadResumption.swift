public import PatchbayPlatform
import PatchbayRegistry

/// Where a download broke off, to go on from there: `SessionManager.download(_:resuming:)`.
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
