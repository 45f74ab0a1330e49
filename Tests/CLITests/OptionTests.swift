import TestSupport
import Testing

@testable import PatchbayCLI

/// Each option of `patchbay get`, in the built program against a server.
@Suite(.timeLimit(.minutes(5))) struct OptionTests {
    private static func rows(_ part: OptionRow.Part) -> [OptionRow] { OptionRow.all.filter { $0.part == part } }

    @Test func `each option has a row`() {
        let named = Set(OptionRow.all.flatMap(\.options))
        for option in Command.Name.get.allOptions {
            #expect(!named.isDisjoint(with: option.names), "no row of OptionRow uses \(option.name)")
        }
        let known = Set(Command.Name.get.allOptions.flatMap(\.names))
        #expect(named.subtracting(known) == [])
    }

    /// An IPv6 address goes to the library in brackets.
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("localhost:81", "localhost:81"), ("::1", "[::1]"), ("[::1]", "[::1]"),
        ("[::1]:81", "[::1]:81"),
    ])
    func `--resolve takes an address`(_ typed: String, _ address: String) throws {
        let resolution = try ConnectionArguments.Resolution("h:80:" + typed)
        #expect(resolution == ConnectionArguments.Resolution(host: "h:80", address: address))
    }

    @Test(arguments: rows(.none)) func `an option does what its help says`(_ row: OptionRow) async throws {
        try await row()
    }

    @Test(.enabled(if: HTTPBin.url != nil, "\(HTTPBin.absence)"), arguments: rows(.httpbin))
    func `an option does what its help says, as httpbin sees it`(_ row: OptionRow) async throws { try await row() }

    @Test(
        .enabled(if: LocalService.nginx != nil, "nginx is not installed (Debian: nginx-light)"), arguments: rows(.nginx)
    )
    func `an option does what its help says, as nginx sees it`(_ row: OptionRow) async throws { try await row() }

    @Test(
        .enabled(
            if: LocalService.nginx != nil && CertificateFolder.isPossible,
            "nginx or openssl is not installed (Debian: nginx-light, openssl)"), arguments: rows(.certificates))
    func `an option does what its help says, as nginx sees it over TLS`(_ row: OptionRow) async throws {
        try await row()
    }

    @Test(
        .enabled(if: LocalService.tinyproxy != nil, "tinyproxy is not installed (Debian: tinyproxy-bin)"),
        arguments: rows(.tinyproxy))
    func `an option does what its help says, over tinyproxy`(_ row: OptionRow) async throws { try await row() }

    @Test(
        .enabled(if: LocalService.microsocks != nil, "microsocks is not installed (Debian: microsocks)"),
        arguments: rows(.microsocks))
    func `an option does what its help says, over microsocks`(_ row: OptionRow) async throws { try await row() }
}
