public import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server or proxy of another project, which runs beside one test.
public enum LocalService {
    public static let nginx = program("/usr/sbin/nginx")
    public static let tinyproxy = program("/usr/bin/tinyproxy")
    public static let microsocks = program("/usr/bin/microsocks")

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
    public static func run(
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

    /// Whether a server takes connections at a Unix socket.
    public static func isListening(at path: String) -> Bool { LoopbackSocket.isListening(at: path) }

    /// Runs nginx with one server until the test is over. `FOLDER` and `PORT` in the text are its folder and a free port.
    /// - Parameters:
    ///   - server: the inside of the block `server`.
    ///   - home: the folder of its files; nil for a folder of its own, which is removed.
    ///   - isReady: by default whether the port takes connections.
    public static func runNginx(
        _ server: String, in home: URL? = nil, until isReady: ((URL, UInt16) -> Bool)? = nil,
        test: (URL, UInt16) async throws -> Void
    ) async throws {
        guard let nginx else { throw ChildProcess.NotStarted(description: "nginx is not installed") }
        let folder = home ?? FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { if home == nil { try? FileManager.default.removeItem(at: folder) } }
        let port = try freePort()
        let configuration = """
            daemon off; master_process off; pid nginx.pid; error_log log;
            events {}
            http {
                access_log off; client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp;
                scgi_temp_path tmp;
                server { \(server) }
            }
            """
            .replacingOccurrences(of: "FOLDER", with: folder.path).replacingOccurrences(of: "PORT", with: "\(port)")
        try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
        try await run([nginx, "-p", folder.path, "-c", folder.path + "/nginx.conf"]) {
            isReady?(folder, port) ?? takesConnections(port)
        } test: {
            try await test(folder, port)
        }
    }

    /// A port that takes no connections. The system gives ports from 32768 on (Linux) to sockets that ask for any port,
    /// so none of the servers beside this test gets a lower one before its service does.
    public static func freePort() throws -> UInt16 {
        for _ in 0..<100 {
            let port = UInt16.random(in: 20_000..<32_000)
            if !takesConnections(port) { return port }
        }
        throw ChildProcess.NotStarted(description: "no port is free")
    }

    public static func takesConnections(_ port: UInt16) -> Bool {
        #if canImport(Glibc)
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let client = socket(AF_INET, SOCK_STREAM, 0)
        #endif
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
