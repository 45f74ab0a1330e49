import Foundation
import PatchbayRegistry
import TestSupport
import Testing

/// How the server is reached.
extension OptionRow {
    static let connection: [OptionRow] = [
        OptionRow("--cacert", needs: .certificates) { folder in
            try await secured(in: folder) { url in
                #expect(try await get("--cacert", "ca.pem", url, in: folder).output.hasPrefix("HTTP/"))
                let run = try await get(url, in: folder, code: 4)
                #expect(run.errors.contains("certificate"), "\(run.errors)")
            }
        },
        OptionRow("--cert --key", needs: .certificates) { folder in
            try await secured("ssl_verify_client on; ssl_client_certificate ca.pem;", in: folder) { url in
                let words = ["--cert", "client.pem", "--key", "client.key"]
                let run = try await get("--cacert", "ca.pem", url, then: words, in: folder)
                #expect(run.output.hasSuffix("CN=client"), "\(run.output)")
                try await get("--cacert", "ca.pem", url, in: folder, code: 5)
            }
        },
        OptionRow("--pass", needs: .certificates) { folder in
            try await secured("ssl_verify_client on; ssl_client_certificate ca.pem;", in: folder) { url in
                let lock = ["pkey", "-aes256", "-in", "client.key", "-passout", "pass:open", "-out", "locked.key"]
                let made = try await ChildProcess.run(CertificateFolder.program, lock, directory: folder.path)
                try #require(made.end == .exited(0), "\(made.errorText)")
                try folder.write("open\n", to: "word")
                let words = ["--cacert", "ca.pem", "--cert", "client.pem", "--key", "locked.key"]
                for pass in ["open", "@word"] {
                    let run = try await get(url, then: words + ["--pass", pass], in: folder)
                    #expect(run.output.hasSuffix("CN=client"), "\(run.output)")
                }
                let run = try await get(url, then: words, in: folder, code: 4)
                #expect(run.errors.hasSuffix("\n  --pass @FILE has the passphrase of the key\n"), "\(run.errors)")
            }
        },
        OptionRow("-k", needs: .certificates) { folder in
            try await secured(in: folder) { url in
                let run = try await get("-k", url, in: folder)
                #expect(run.output.hasPrefix("HTTP/"))
                #expect(run.errors.hasPrefix("warning: --insecure: "), "\(run.errors)")
            }
        },
        OptionRow("--http1.1", needs: .certificates) { folder in
            try await secured(in: folder) { url in
                let negotiated = try await get("-k", url, in: folder)
                #expect(negotiated.output.hasPrefix("HTTP/2.0"))
                let old = try await get("-k", "--http1.1", url, in: folder)
                #expect(old.output.hasPrefix("HTTP/1.1"))
            }
        },
        OptionRow("--http2", needs: .nginx) { folder in
            // Over http a server is asked for HTTP/2 only where the user says so.
            try await LocalService.runNginx("listen 127.0.0.1:PORT http2; \(answer)") { _, port in
                let run = try await get("-v", "--http2", "http://127.0.0.1:\(port)/", in: folder)
                #expect(run.output.hasPrefix("HTTP/2.0"), "\(run.output)")
                #expect(run.errors.contains("> :authority: 127.0.0.1:\(port)\n"), "\(run.errors)")
            }
        },
        OptionRow("--http2") { folder in
            let hint = "\n  --http2 needs a server that speaks HTTP/2; without it, TLS finds the version\n"
            for reply in [RawReply.raw(""), .raw("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")] {
                let server = try RawServer(onConnect: reply)
                for url in [server.target(), server.target().replacingOccurrences(of: "http:", with: "https:")] {
                    let run = try await get("--http2", url, in: folder, code: 4)
                    #expect(run.errors.hasSuffix(hint), "\(run.errors)")
                    let other = try await Binary.run(["get", "--http1.1", url])
                    #expect(other.code != 0 && !other.errors.contains("--http2"), "\(other.errors)")
                }
            }
        },
        OptionRow("--proxy http://", needs: .tinyproxy) { folder in
            let program = try #require(LocalService.tinyproxy)
            let server = try RawServer(always: .response(body: ""))
            let port = try LocalService.freePort()
            let settings = "Port \(port)\nListen 127.0.0.1\nTimeout 20\nMaxClients 20\n"
            let file = try folder.write(settings, to: "tinyproxy.conf")
            try await LocalService.run([program, "-d", "-c", file]) {
                LocalService.takesConnections(port)
            } test: {
                try await get("--proxy", "http://127.0.0.1:\(port)", server.target(), in: folder)
                #expect(server.requests.first?.fields["Via"]?.contains("tinyproxy") == true)
            }
        },
        OptionRow("--proxy socks5://", needs: .microsocks) { folder in
            let program = try #require(LocalService.microsocks)
            let server = try RawServer(always: .response(body: ""))
            let port = try LocalService.freePort()
            try await LocalService.run([program, "-i", "127.0.0.1", "-p", "\(port)", "-u", "ada", "-P", "s3cret"]) {
                LocalService.takesConnections(port)
            } test: {
                // The server does not see the proxy, so a password that the proxy refuses shows that it was asked.
                try await get("--proxy", "socks5://ada:s3cret@127.0.0.1:\(port)", server.target(), in: folder)
                #expect(server.requests.count == 1)
                try await get(
                    "--proxy", "socks5://ada:no@127.0.0.1:\(port)", server.target(), in: folder, code: 4)
                #expect(server.requests.count == 1)
            }
        },
        OptionRow("--unix-socket", needs: .nginx) { folder in
            try await LocalService.runNginx(
                "listen unix:FOLDER/socket; default_type text/plain; location / { return 200 \"$host $uri\"; }"
            ) { home, _ in
                LocalService.isListening(at: home.path + "/socket")
            } test: { home, _ in
                let run = try await get("--unix-socket", "\(home.path)/socket", "http://docker/v1", in: folder)
                #expect(run.output == "docker /v1")
                // Without a scheme, too: nobody listens in on a socket.
                let short = try await get("--unix-socket", "\(home.path)/socket", "docker/v1", in: folder)
                #expect(short.output == "docker /v1")
            }
        },
        OptionRow("--resolve") { folder in
            let server = try RawServer(always: .response(body: ""))
            let host = "api.invalid:\(server.port)"
            try await get("--resolve", "\(host):127.0.0.1", "http://\(host)/", in: folder)
            #expect(server.requests.map { $0.fields["Host"] } == [host])
        },
    ]

    #if os(Linux)
        static let connectionOnLinux: [OptionRow] = [
            OptionRow("-v", needs: .certificates) { folder in
                // Another library of the program has a function of the name of OpenSSL's.
                try folder.write(
                    "const char *SSL_get_version(const void *s) { return s ? \"TLSv0\" : 0; }\n", to: "tls.c")
                let made = try await ChildProcess.run(
                    "/bin/sh", ["-c", "cc -shared -o tls.so tls.c || clang -shared -o tls.so tls.c"],
                    directory: folder.path)
                try #require(made.end == .exited(0), "\(made.errorText)")
                try await secured(in: folder) { url in
                    let run = try await ChildProcess.run(
                        try Binary.path, ["get", "-v", "--cacert", "ca.pem", url],
                        environment: ["no_proxy": "*", "LD_PRELOAD": folder.path + "/tls.so"], directory: folder.path)
                    #expect(run.outputText.hasPrefix("HTTP/"), "\(run.errorText)")
                    #expect(run.errorText.contains(", TLSv1.2"), "\(run.errorText)")
                    // Before the handshake, nobody knows the version of HTTP.
                    let place = url.split(separator: "/")[1]
                    #expect(run.errorText.contains("\n> Host or :authority: \(place)\n"), "\(run.errorText)")
                }
            },
            OptionRow("--connect-timeout") { folder in
                let full = try FullListener()
                defer { full.close() }
                let run = try await get(
                    "--connect-timeout", "0.4", "http://127.0.0.1:\(full.port)/", in: folder, code: 4)
                #expect(run.errors.contains("within 0.4 s"), "\(run.errors)")
            },
        ]
    #else
        static let connectionOnLinux: [OptionRow] = []
    #endif

    /// Says the version of HTTP and the client's certificate.
    private static let answer =
        "default_type text/plain; location / { return 200 \"$server_protocol $ssl_client_s_dn\"; }"

    /// Runs nginx with TLS, whose certificate an authority of the test's own has issued: `ca.pem` in the folder.
    private static func secured(
        _ settings: String = "", in folder: TemporaryFolder, _ test: (_ url: String) async throws -> Void
    ) async throws {
        let certificates = try await CertificateFolder()
        defer { certificates.remove() }
        try await certificates.issue("host")
        try await certificates.issue("client")
        for name in ["ca.pem", "client.pem", "client.key"] {
            try FileManager.default.copyItem(atPath: certificates.path(name), toPath: folder.path + "/" + name)
        }
        let tls = "listen 127.0.0.1:PORT ssl http2; ssl_certificate host.pem; ssl_certificate_key host.key;"
        try await LocalService.runNginx("\(tls) \(settings) \(answer)", in: certificates.url) { _, port in
            try await test("https://localhost:\(port)/")
        }
    }
}
