/// The limits on an image, whatever its file states.
struct ImageLimits: Sendable, Hashable {
    var pixels = 40_000_000
    var side = 16_384
    /// The maximum size of all decoded frames together, at four bytes a pixel.
    var decodedBytes = 160 << 20
    /// The maximum number of frames of a GIF, and of images in an ICO file: the option `maxFrames`.
    ///
    /// gdk-pixbuf keeps both in linked lists, and walks through a list to append, insert or find one. So the time
    /// grows with the square of the number: 10,000 frames or images take up to two thousand million instructions, and
    /// 200,000 frames would take 400 times as many.
    var frames = 10_000
    /// The maximum number of scans of a JPEG. gdk-pixbuf computes all pixels again for each scan, and a scan can have
    /// 75 bytes.
    var scans = 100

    func check(_ width: Int, _ height: Int) throws(ImageFailure) {
        guard width > 0, height > 0 else { throw .noDimensions }
        guard width <= side, height <= side, width * height <= pixels else {
            throw .tooLarge(width: width, height: height)
        }
    }

    func check(frames count: Int) throws(ImageFailure) {
        guard count <= frames else { throw .tooManyFrames(limit: frames) }
    }

    func check(scans count: Int) throws(ImageFailure) {
        guard count <= scans else { throw .tooManyScans(limit: scans) }
    }
}
