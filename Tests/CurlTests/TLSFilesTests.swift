import Dispatch
import Foundation
import Patchbay
import PatchbayPlatform
import TestSupport
import Testing

@testable import PatchbayCurl
@testable import PatchbayManager

/// The files of `TLSSettings` are read again when they have changed, and reading them holds up nothing else.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
struct TLSFilesTests {
    /// How a file comes to have another content.
    enum Change: CaseIterable {
        case renamedOver, writtenInPlace, removedAndWritten, linkMoved

        /// Gives the path the content of a file.
        func apply(_ file: String, to path: String) throws {
            let manager = FileManager.default
            switch self {
            case .writtenInPlace:
                let handle = try FileHandle(forWritingTo: URL(filePath: path))
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: try Data(contentsOf: URL(filePath: file)))
                try handle.close()
            case .removedAndWritten:
                try manager.removeItem(atPath: path)
                try manager.copyItem(atPath: file, toPath: path)
            case .renamedOver, .linkMoved:
                let other = path + ".other"
                if self == .renamedOver {
                    try manager.copyItem(atPath: file, toPath: other)
                } else {
                    try manager.createSymbolicLink(atPath: other, withDestinationPath: file)
                }
                try #require(rename(other, path) == 0)
            }
        }
    }

    private static let unknown = TransportFailure.Code.unknownAuthority

    private func url(_ port: Int) throws -> URL { try #require(URL(string: "https://127.0.0.1:\(port)/")) }

    @Test("authorities are read again when their file has changed", arguments: Change.allCases)
    func authorities(_ change: Change) async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await folder.issue("other", by: nil)
        let path = folder.path("bundle.pem")
        try FileManager.default.copyItem(atPath: folder.path("other.pem"), toPath: path)
        try await TLSServer.run("host", in: folder) { port in
            let here = try url(port)
            for settings in [
                TLSSettings(certificateAuthorities: path),
                TLSSettings(
                    certificateAuthorities: path,
                    certificateAuthorityData: try Data(contentsOf: URL(filePath: folder.path("other.pem")))),
            ] {
                let transport = ConnectedTransport(tls: settings)
                #expect(await transport.exchange(here).code == Self.unknown)
                for _ in 0..<3 {
                    try change.apply(folder.path("ca.pem"), to: path)
                    #expect(await transport.exchange(here).result.failure == nil)
                    try change.apply(folder.path("other.pem"), to: path)
                    #expect(await transport.exchange(here).code == Self.unknown)
                }
            }
        }
    }

    @Test("a client certificate and its key are read again when their files have changed", arguments: Change.allCases)
    func certificate(_ change: Change) async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await folder.issue("good", for: "DNS:client")
        try await folder.issue("bad", for: "DNS:client", by: nil)
        for name in ["pem", "key"] {
            try FileManager.default.copyItem(atPath: folder.path("bad.\(name)"), toPath: folder.path("client.\(name)"))
        }
        let own = ClientCertificate(certificate: folder.path("client.pem"), key: folder.path("client.key"))
        let settings = TLSSettings(certificateAuthorities: folder.path("ca.pem"), clientCertificate: own)
        let options = ["-Verify", "1", "-verify_return_error", "-CAfile", "ca.pem"]
        try await TLSServer.run("host", in: folder, options) { port in
            let (here, transport) = (try url(port), ConnectedTransport(tls: settings))
            #expect(await transport.exchange(here).result.failure != nil)
            for _ in 0..<2 {
                for name in ["pem", "key"] {
                    try change.apply(folder.path("good.\(name)"), to: folder.path("client.\(name)"))
                }
                #expect(await transport.exchange(here).result.failure == nil)
                // The key of another certificate is not the one that was right.
                try change.apply(folder.path("bad.key"), to: own.key)
                #expect(await transport.exchange(here).code == .insecureConnection)
                try change.apply(folder.path("bad.pem"), to: own.certificate)
                #expect(await transport.exchange(here).result.failure != nil)
            }
        }
    }

    /// What can be at the path of a file.
    enum Obstacle: CaseIterable { case pipe, folder, device, nothing, empty }

    @Test("a path that is no file any more fails its calls, and no other waits", arguments: Obstacle.allCases)
    func obstacle(_ obstacle: Obstacle) async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await folder.issue("client", for: "DNS:client")
        let own = ClientCertificate(certificate: folder.path("client.pem"), key: folder.path("client.key"))
        let authorities = folder.path("ca-of-client.pem")
        try FileManager.default.copyItem(atPath: folder.path("ca.pem"), toPath: authorities)
        let settings = TLSSettings(certificateAuthorities: authorities, clientCertificate: own)
        let plain = try RawServer(always: .response(body: "plain"))
        try await TLSServer.run("host", in: folder) { port in
            let (here, base) = (try url(port), CurlTransport())
            let transport = ConnectedTransport(base, tls: settings)
            let others = ConnectedTransport(base, tls: TLSSettings(certificateAuthorities: folder.path("ca.pem")))
            for path in [authorities, own.certificate, own.key] {
                #expect(await transport.exchange(here).result.failure == nil)
                let kept = path + ".kept"
                try #require(rename(path, kept) == 0)
                switch obstacle {
                case .pipe: try #require(mkfifo(path, 0o600) == 0)
                case .folder: try #require(mkdir(path, 0o700) == 0)
                case .device:
                    try FileManager.default.createSymbolicLink(
                        atPath: path, withDestinationPath: "/dev/zero")
                case .nothing: break
                case .empty: try Data().write(to: URL(filePath: path))
                }
                let failure = await transport.exchange(here).result.failure
                #expect(failure?.code == .insecureConnection)
                if [.pipe, .device].contains(obstacle) {
                    #expect(failure?.reason.hasPrefix("the file \(path) of ") == true)
                    #expect(failure?.reason.hasSuffix(" is not a regular file") == true)
                }
                #expect(await others.exchange(here).result.failure == nil)
                #expect(await base.exchange(plain.url()).record.text == "plain")
                if obstacle != .nothing { try FileManager.default.removeItem(atPath: path) }
                try #require(rename(kept, path) == 0)
            }
            #expect(await transport.exchange(here).result.failure == nil)
        }
    }

    @Test("a file of SSL_CERT_FILE that is none holds up no call, and one that changes is read again")
    func environment() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        let path = folder.path("bundle.pem")
        try FileManager.default.copyItem(atPath: folder.path("ca.pem"), toPath: path)
        try await TLSServer.run("host", in: folder) { port in
            await #expect(processExitsWith: .success) { [port = port as Int, path = path as String] in
                setenv("SSL_CERT_FILE", path, 1)
                let plain = try RawServer(always: .response(body: "plain"))
                let here = try #require(URL(string: "https://localhost:\(port)/"))
                let base = CurlTransport()
                let transport = ConnectedTransport(base, ConnectionSettings())
                try #require(await transport.exchange(here).result.failure == nil)
                try #require(rename(path, path + ".kept") == 0)
                try #require(mkfifo(path, 0o600) == 0)
                let failure = await transport.exchange(here).result.failure
                try #require(failure?.code == .insecureConnection)
                try #require(await base.exchange(plain.url()).record.text == "plain")
                try FileManager.default.removeItem(atPath: path)
                try #require(rename(path + ".kept", path) == 0)
                try #require(await transport.exchange(here).result.failure == nil)
            }
        }
    }

    @Test("authorities that are written while they are read end in a response or in a failure of theirs")
    func writtenAllTheTime() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        let path = folder.path("bundle.pem")
        try FileManager.default.copyItem(atPath: folder.path("ca.pem"), toPath: path)
        let whole = try Data(contentsOf: URL(filePath: path))
        try await TLSServer.run("host", in: folder) { port in
            let here = try url(port)
            let transport = ConnectedTransport(tls: TLSSettings(certificateAuthorities: path))
            let isOver = OneShot()
            let writer = Task.detached {
                var count = 0
                while !isOver.hasFired {
                    count += 1
                    // It shrinks and grows at one inode.
                    let handle = try FileHandle(forWritingTo: URL(filePath: path))
                    try handle.truncate(atOffset: UInt64(count * 97 % whole.count))
                    try handle.write(contentsOf: whole)
                    try handle.close()
                    await Task.yield()
                }
            }
            for _ in 0..<50 {
                let code = await transport.exchange(here).code
                #expect(
                    code.map { [.insecureConnection, Self.unknown].contains($0) } ?? true, "\(String(describing: code))"
                )
            }
            isOver.fire()
            try await writer.value
            try whole.write(to: URL(filePath: path))
            #expect(await transport.exchange(here).result.failure == nil)
        }
    }

    @Test("an exchange whose file is not read in time can be stopped", arguments: [true, false])
    func stopped(_ cancels: Bool) async throws {
        // The only thread waits as it would for a disk that hangs.
        let (io, disk) = (IOExecutor(maximumThreads: 1), DispatchSemaphore(value: 0))
        let begun = OneShot()
        io.enqueue {
            begun.fire()
            disk.wait()
        }
        await begun.fired()
        let (files, stop) = (TLSFiles(on: io), OneShot())
        let settings = TLSSettings(certificateAuthorities: "/does/not/exist.pem")
        let reading = Task { () async -> TransportFailure.Code? in
            do throws(TransportFailure) {
                _ = try await files.content(of: settings, unless: stop)
                return nil
            } catch {
                return error.code
            }
        }
        if cancels { reading.cancel() } else { stop.fire() }
        #expect(await reading.value == .stopped)
        disk.signal()
    }

    @Test("the same bytes are kept for all exchanges, from however many files they come")
    func kept() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        let files = TLSFiles()
        let settings = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
        func bytes() async throws -> Authorities {
            try #require(try await files.content(of: settings, unless: OneShot()).authorities)
        }
        let first = try await bytes()
        #expect(try await bytes() === first)
        // The same content, written again.
        let text = try Data(contentsOf: URL(filePath: folder.path("ca.pem")))
        try text.write(to: URL(filePath: folder.path("ca.pem")))
        #expect(try await bytes() === first)
        try (text + text).write(to: URL(filePath: folder.path("ca.pem")))
        #expect(try await bytes() !== first)
    }
}
