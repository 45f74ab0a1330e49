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
    /// A digest of the URL that the response came from, behind redirects.
    let source: String

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

    /// A digest of a URL without its query, which can be a signature that differs each time.
    static func source(_ url: URL) -> String {
        var digest = TextDigest()
        digest.add(String(url.absoluteString.prefix { $0 != "?" && $0 != "#" }))
        return digest.hexadecimal
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
        source = try container.decode(String.self, forKey: .source)
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
