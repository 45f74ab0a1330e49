import Foundation
import TestSupport
import Testing

/// Our own declarations of libxml2, against its headers where those are installed.
@Suite(.timeLimit(.minutes(5))) struct Libxml2HeaderTests {
    private static let headers = "/usr/include/libxml2"
    private static let door = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "Sources/C/CPatchbayLibxml2")

    @Test(
        "They are what libxml2 says",
        .enabled(if: FileManager.default.fileExists(atPath: headers + "/libxml/parser.h"), "libxml2-dev is missing"))
    func declarations() throws {
        #expect(try Self.check([]) == 0)
        // Without the headers there is nothing to be compared with.
        #expect(try Self.check(["-nostdinc"]) != 0)
    }

    private static func check(_ flags: [String]) throws -> Int32 {
        let clang = Process()
        clang.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        clang.arguments =
            ["clang", "-fsyntax-only", "-Wall", "-Werror", "-DPATCHBAY_LIBXML2_HEADERS", "-I\(headers)"] + flags
            + ["-I\(door.path)/include", door.appendingPathComponent("Libxml2Check.c").path]
        clang.standardError = FileHandle.nullDevice
        try clang.run()
        clang.waitUntilExit()
        return clang.terminationStatus
    }
}
