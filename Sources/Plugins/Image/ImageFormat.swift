import PatchbayRegistry

/// The image formats that are decoded; nothing else is, whatever loaders the system has.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case png, jpeg, gif, tiff, bmp, ico, xbm

    /// What the first bytes say; nil where they are those of no format here.
    init?(signature bytes: ImageBytes) {
        let found = Self.allCases.first { format in
            switch format {
            case .png: bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            case .jpeg: bytes.starts(with: [0xFF, 0xD8, 0xFF])
            case .gif: bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8))
            case .tiff: bytes.starts(with: [0x49, 0x49, 0x2A, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A])
            case .bmp: bytes.starts(with: Array("BM".utf8))
            case .ico: bytes.starts(with: [0, 0, 1, 0])
            case .xbm: bytes.starts(with: Array("#define ".utf8))
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// The formats that a declared type may stand for; nil for a type that is not of an image.
    static func declared(by mediaType: MediaType?) -> [ImageFormat]? {
        guard let mediaType, mediaType.type == "image" else { return nil }
        return declarations[mediaType.essence] ?? []
    }

    /// The ten types of AFNetworking's image serializer, and the registered and customary names of the same formats.
    private static let declarations: [String: [ImageFormat]] = [
        "image/png": [.png], "image/x-png": [.png], "image/jpeg": [.jpeg], "image/jpg": [.jpeg], "image/pjpeg": [.jpeg],
        "image/gif": [.gif], "image/tiff": [.tiff], "image/bmp": [.bmp], "image/x-bmp": [.bmp],
        "image/x-ms-bmp": [.bmp], "image/ico": [.ico], "image/x-icon": [.ico], "image/vnd.microsoft.icon": [.ico],
        "image/x-win-bitmap": [.bmp, .ico], "image/x-xbitmap": [.xbm], "image/x-xbm": [.xbm],
    ]
}
