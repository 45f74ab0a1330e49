import Foundation
import Glibc
import TestSupport
import Testing

/// A server or proxy of another project, which runs beside one test.
enum LocalService {
    static let nginx = program("/usr/sbin/nginx")
    static let tinyproxy = program("/usr/bin/tinyproxy")
    static let microsocks = program("/usr/bin/microsocks")

    private static func program(_ path: String) -> String? {
        FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// Ends the program when the file `run` is gone, or after 100 s. A child of a test has every signal but KILL blocked.
    private static let script = """
        "$@" >/dev/null 2>&1 </dev/null &
        steps=0
        while [ -e "$RUN" ] && kill -0 $! && [ $steps -lt 5000 ]; do sleep 0.02; steps=$((steps + 1)); done
        kill -9 $!
        """

    /// Runs the program until the test is over.
    static func run(
        _ words: [String], until isReady: () -> Bool, test: () async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "patchbay-run-\(UUID().uuidString)")
        try Data().write(to: file)
        async let child = ChildProcess.run(
            "/bin/sh", ["-c", script, "sh"] + words, environment: ["RUN": file.path], limit: .seconds(120))
        var tries = 0
        while !isReady(), tries < 1000 {
            tries += 1
            try await Task.sleep(for: .milliseconds(10))
        }
        let result: Result<Void, any Error>
        do { result = .success(try await test()) } catch { result = .failure(error) }
        try FileManager.default.removeItem(at: file)
        _ = try await child
        try result.get()
    }

    /// A port that was free a moment ago.
    static func freePort() throws -> UInt16 {
        let server = try RawServer(always: RawReply([.close]))
        defer { server.stop() }
        return server.port
    }

    static func takesConnections(_ port: UInt16) -> Bool {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
