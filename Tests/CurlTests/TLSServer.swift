import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `openssl s_server` on a port of its own, which answers every request with 200, one after the other.
enum TLSServer {
    /// Ends the server when the file `run` is gone, or after 40 s, and says in `ended` when it has.
    private static let script = """
        "$@" >log 2>&1 </dev/null &
        steps=0
        while [ -e run ] && kill -0 $! && [ $steps -lt 2000 ]; do sleep 0.02; steps=$((steps + 1)); done
        kill -9 $!  # a child of a test has every milder signal blocked
        : >ended
        """

    /// Runs the server with a certificate of the folder and calls the test with its port.
    static func run(
        _ name: String, in folder: CertificateFolder, _ options: [String] = [], _ test: (Int) async throws -> Void
    ) async throws {
        let server = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-www"]
        try await run(server + ["-key", "\(name).key", "-cert", "\(name).pem"] + options, in: folder, test)
    }

    /// Runs any server that says where it accepts connections, as `openssl s_server` does.
    static func run(
        _ command: [String], in folder: CertificateFolder, _ test: (Int) async throws -> Void
    ) async throws {
        try Data().write(to: folder.url.appending(path: "run"))
        async let server = ChildProcess.run(
            "/bin/sh", ["-c", script, "sh"] + command, directory: folder.url.path, limit: .seconds(50))
        let result: Result<Void, any Error>
        do {
            await until { port(folder) != nil || FileManager.default.fileExists(atPath: folder.path("ended")) }
            result = .success(try await test(try #require(port(folder), "the server did not start")))
        } catch {
            result = .failure(error)
        }
        try FileManager.default.removeItem(atPath: folder.path("run"))
        _ = try await server
        try result.get()
    }

    private static func port(_ folder: CertificateFolder) -> Int? {
        let text = (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1).first { $0.hasPrefix("ACCEPT") }
        return line?.split(separator: ":").last.flatMap { Int($0) }
    }
}
