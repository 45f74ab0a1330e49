/// The named groups of media types that patterns write with an `@` (WHATWG MIME Sniffing, section 4.6).
package enum MediaTypeGroup: String, CaseIterable, Sendable {
    case json, xml, image, font, archive, html, javascript, scriptable
    case audioOrVideo = "audio-or-video"
    case zipBased = "zip-based"

    /// The kinds whose union the group is.
    package var members: [MediaRange.Kind] {
        switch self {
        case .json: [.suffix("json")] + exactly("application/json", "text/json")
        case .xml: [.suffix("xml")] + exactly("text/xml", "application/xml")
        case .image: [.topLevel("image")]
        case .audioOrVideo: [.topLevel("audio"), .topLevel("video")] + exactly("application/ogg")
        case .font:
            [.topLevel("font")]
                + exactly(
                    "application/font-cff", "application/font-off", "application/font-sfnt", "application/font-ttf",
                    "application/font-woff", "application/vnd.ms-fontobject", "application/vnd.ms-opentype")
        case .zipBased: [.suffix("zip")] + exactly("application/zip")
        case .archive: exactly("application/x-rar-compressed", "application/zip", "application/x-gzip")
        case .html: exactly("text/html")
        case .javascript:
            exactly(
                "application/ecmascript", "application/javascript", "application/x-ecmascript",
                "application/x-javascript", "text/ecmascript", "text/javascript", "text/javascript1.0",
                "text/javascript1.1", "text/javascript1.2", "text/javascript1.3", "text/javascript1.4",
                "text/javascript1.5", "text/jscript", "text/livescript", "text/x-ecmascript", "text/x-javascript")
        case .scriptable: Self.xml.members + Self.html.members + exactly("application/pdf")
        }
    }

    /// What the group stands for in an Accept header: its usual names, or nothing where it has no few.
    package var acceptTypes: [String] {
        switch self {
        case .json: ["application/json"]
        case .xml: ["application/xml", "text/xml"]
        default: []
        }
    }

    private func exactly(_ essences: String...) -> [MediaRange.Kind] {
        essences.map { .exact($0) }
    }
}
