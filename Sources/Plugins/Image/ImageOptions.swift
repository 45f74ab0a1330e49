import PatchbayJSON
import PatchbayRegistry

extension ManifestObject {
    /// The keys of `ImageOptions`, in builds that have none too.
    static let imageOptions = ManifestObject(
        "imageOptions",
        [
            ManifestKey(
                "inflate", .bool, default: true,
                "Whether the pixels are decoded at once, and not only when they are asked for."),
            ManifestKey("scale", .number(above: 0, through: 16), default: 1, "How many pixels make one point."),
            ManifestKey(
                "frames", .words(["first", "all"]), default: "first", "Which frames of an animation are decoded."),
        ])
}
