#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayURLSession
    import TestSupport
    import Testing

    /// Holds the page about Apple platforms to the transport over URLSession, as it runs on Linux, and to the files that it names.
    @Suite(.timeLimit(.minutes(5))) struct ApplePageTests {
        private let page: Markdown

        init() throws { page = try Markdown("Documentation/Apple.md") }

        private static let changes: [String: @Sendable (inout ConnectionSettings) throws -> Void] = [
            "connectTimeout": { $0.connectTimeout = .seconds(30) },
            "connectionsPerHost": { $0.connectionsPerHost = 3 },
            "proxy": { $0.proxy = try ProxySettings("http://127.0.0.1:1") },
            "unixSocket": { $0.unixSocket = "/nowhere" },
            "address": { $0.address = "127.0.0.1:1" },
            "ipVersion": { $0.ipVersion = .v4 },
            "http": { $0.http = .http1 },
            "maximumConnectionAge": { $0.maximumConnectionAge = .seconds(3) },
            "idleConnectionAge": { $0.idleConnectionAge = .seconds(3) },
            "tls": { $0.tls = nil },
            "tls.certificateAuthorities": { $0.tls?.certificateAuthorities = "ca.pem" },
            "tls.certificateAuthorityData": { $0.tls?.certificateAuthorityData = Data([0x61]) },
            "tls.keepsSystemAuthorities": { $0.tls?.keepsSystemAuthorities = true },
            "tls.clientCertificate": {
                $0.tls?.clientCertificate = ClientCertificate(certificate: "a.pem", key: "a.key")
            },
            "tls.pinnedKeys": {
                $0.tls?.pinnedKeys = [
                    try PublicKeyPin(Data(repeating: 1, count: 32).base64EncodedString())
                ]
            },
            "tls.minimumVersion": { $0.tls?.minimumVersion = .tls13 },
            "tls.maximumVersion": { $0.tls?.maximumVersion = .tls12 },
            "tls.unsafelyAcceptsAnyCertificate": { $0.tls?.unsafelyAcceptsAnyCertificate = true },
            "tls.acceptsMissingCloseNotify": { $0.tls?.acceptsMissingCloseNotify = true },
        ]

        /// What the row of a setting says of libcurl, and of URLSession on Linux.
        private func row(_ setting: String) throws -> (libcurl: String, urlSession: String) {
            let name = setting.split(separator: ".").last ?? ""
            let rows = page.text.split(separator: "\n").map { line in
                line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
            let cells = try #require(rows.first { $0.count == 4 && $0[0].contains("`\(name)`") }, "\(setting)")
            return (cells[1], cells[3] == "the same" ? cells[2] : cells[3])
        }

        @Test("every setting of a connection has a row, and libcurl applies it")
        func complete() throws {
            let settings = Mirror(reflecting: ConnectionSettings()).children.compactMap(\.label)
            let ofTLS = Mirror(reflecting: TLSSettings()).children.compactMap(\.label).map { "tls.\($0)" }
            #expect(Set(settings + ofTLS) == Set(Self.changes.keys))
            for setting in settings + ofTLS { #expect(try row(setting).libcurl == "works", "\(setting)") }
        }

        @Test("every setting of a manager and of a request has a row")
        func completeAbove() throws {
            for type in ["SessionConfiguration", "SessionRequest"] {
                let folder = type == "SessionRequest" ? "Request" : "Session"
                let source = try Markdown("Sources/Manager/\(folder)/\(type).swift").text
                let names = source.matches(of: #/(?m)^    public var (\w+): [^{\n]*$/#).map { String($0.1) }
                #expect(names.count > 10, "\(type)")
                for name in names { #expect(page.text.contains("`\(name)`"), "\(type).\(name)") }
            }
        }

        @Test("URLSession applies a setting, or refuses it by name, as its row says", arguments: changes.keys.sorted())
        func settings(_ setting: String) async throws {
            let said = try row(setting).urlSession
            let server = try RawServer(always: .response())
            var configuration = SessionConfiguration()
            let change = try #require(Self.changes[setting])
            try change(&configuration.connection)
            let manager = SessionManager(
                registry: .standard, transport: URLSessionTransport(), configuration: configuration)
            do throws(SessionError) {
                _ = try await manager.send(server.target())
                #expect(said.hasPrefix("works") || said.hasPrefix("in part"))
            } catch {
                #expect(said.contains("refused"))
                let failure = try #require(error.cause as? TransportFailure)
                #expect(failure.code == .unsupportedRequest)
                #expect(failure.reason.hasPrefix("URLSession cannot apply ConnectionSettings.\(setting) "))
                #expect(failure.reason.contains("CurlTransport"))
                #expect(server.requests.isEmpty)
            }
        }

        @Test("a refused setting is found without a server")
        func refusals() async throws {
            let nowhere = try #require(URL(string: "http://127.0.0.1:1"))
            var configuration = SessionConfiguration()
            #expect(await refusal(of: configuration, at: nowhere) == nil)
            configuration.connection.connectionsPerHost = 4
            let sentence = await refusal(of: configuration, at: nowhere)
            #expect(sentence?.contains("ConnectionSettings.connectionsPerHost ") == true, "\(sentence ?? "")")
            configuration.connectionByHost["127.0.0.1"] = ConnectionSettings()
            #expect(await refusal(of: configuration, at: nowhere) == nil)
        }

        @Test("its Swift is compiled")
        func swift() throws {
            #expect(page.blocks(of: "swift").count == 3)
            #expect(
                try page.swift(
                    missingIn: ["AppleExamples", "ApplePageTests"].map { "Tests/URLSessionTests/\($0).swift" }) == [])
        }

        @Test("it lists as many responses that end the process as there are cases of them")
        func traps() throws {
            let section = try #require(page.text.components(separatedBy: "## Responses that end a Linux process").last)
            let list = try #require(section.components(separatedBy: "\n## ").first).split(separator: "\n")
            #expect(list.filter { $0.hasPrefix("- ") }.count == URLSessionTrapTests.responses.count)
        }

        @Test("the page, that on installing and the workflow name every platform of the package")
        func platforms() throws {
            let package = try Markdown("Package.swift").text
            let line = try #require(package.split(separator: "\n").first { $0.contains("platforms: [") })
            let platforms = line.matches(of: #/\.(\w+)\(\.v(\d+)\)/#)
            #expect(platforms.count == 5)
            let workflow = try Markdown(".github/workflows/ci.yml").text
            let installing = try Markdown("Documentation/Installing.md").text
            let guide = try Markdown("Documentation/ComingFromAFNetworkingOrAlamofire.md").text
            for platform in platforms {
                #expect(page.text.contains("\(platform.1) \(platform.2)"), "\(platform.1)")
                #expect(guide.contains("\(platform.1) \(platform.2)"), "\(platform.1)")
                #expect(installing.contains("\(platform.1) \(platform.2)"), "\(platform.1)")
                #expect(workflow.contains(String(platform.1)), "\(platform.1)")
            }
        }

        @Test("the workflow says in its first line that it has never run, and the README on its first screen")
        func neverRun() throws {
            let workflow = try Markdown(".github/workflows/ci.yml").text
            #expect(workflow.hasPrefix("# This file has never run"))
            for part in ["runs-on: macos-15", "Xcode_26", "6.2", "6.3", "arm64", "x86-64", "scripts/test"] {
                #expect(workflow.contains(part), "\(part)")
            }
            let screen = try Markdown("README.md").text.split(separator: "\n").prefix(8).joined(separator: "\n")
            #expect(
                screen.contains("[compiled for Apple platforms by rehearsal, never run there](Documentation/Apple.md)"))
        }
    }

    /// The sentence of URLSession about a setting that it refuses.
    func refusal(of configuration: SessionConfiguration, at server: URL) async -> String? {
        let manager = SessionManager(baseURL: server, transport: URLSessionTransport(), configuration: configuration)
        do throws(SessionError) {
            _ = try await manager.send("")
            return nil
        } catch {
            guard let failure = error.cause as? TransportFailure else { return nil }
            return failure.code == .unsupportedRequest ? failure.reason : nil
        }
    }
#endif
