#if Images && os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The library that decodes images, as a program finds it.
    @Suite(.timeLimit(.minutes(5))) struct ImageLibraryTests {
        @Test func `a gdk-pixbuf that cannot be loaded is a failure of images, which names the package`()
            async throws
        {
            let folder = TemporaryFolder()
            let image =
                "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGNgZGJmYWUDAAA/ABYhutRUAAAAAElFTkSuQmCC"
            try #require(Data(base64Encoded: image)).write(to: URL(fileURLWithPath: folder.path + "/image"))
            let words = ["decode", "image", "--content-type", "image/png"]
            let decoded = try await ChildProcess.run(Binary.path, words, directory: folder.path)
            #expect(decoded.outputText == "image/png, 2 × 1 pixels\n")
            _ = try folder.write("no library", to: "libgdk_pixbuf-2.0.so.0")
            let child = try await ChildProcess.run(
                Binary.path, words, environment: ["LD_LIBRARY_PATH": folder.path], directory: folder.path)
            #expect(child.end == .exited(6))
            let sentence = "libgdk_pixbuf-2.0.so.0 cannot be loaded: install libgdk-pixbuf-2.0-0"
            #expect(child.errorText.contains(sentence))
        }
    }
#endif
