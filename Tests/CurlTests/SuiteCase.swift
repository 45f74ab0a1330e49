#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One response of a third-party suite, with what the suite says of it.
struct SuiteCase: Sendable {
    let id: String
    let raw: [UInt8]
    /// Whether the suite says that a strict reader refuses the response.
    let asksRefusal: Bool
    /// What the suite says of a response that is to be accepted; nil where it says nothing.
    let status: Int?
    let bodyBytes: Int?
    let body: [UInt8]?

    /// The cases of every file, in order.
    static func load(from suites: String) throws -> [SuiteCase] {
        let folder = suites + "/http-malformed/"
        return try read(folder + "llhttp-responses.json").map(llhttp)
            + read(folder + "wpt-h1.json").map(webPlatform)
            + read(folder + "curl-responses.json").map(curl)
            + read(folder + "probes-corelibs.json").map(probe)
    }

    private struct File: Decodable { let cases: [Entry] }

    private struct Entry: Decodable {
        let id: String
        let rawB64: Data
        let mode: String?
        let llhttpError: Int?
        let messagesComplete: Int?
        let status: Int?
        let bodyBytes: Int?
        let expected: String?
        let body: String?
        let command: String?
        let curlExit: Int?
    }

    private static func read(_ path: String) throws -> [Entry] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(File.self, from: Data(contentsOf: URL(filePath: path))).cases
    }

    private static func llhttp(_ entry: Entry) -> SuiteCase {
        let isVerdict = entry.mode == "response"
        // The figures of a file with several messages are those of all of them, and a 304 has no body of its own.
        let isPlain =
            isVerdict && entry.llhttpError == nil && (entry.messagesComplete ?? 0) < 2 && entry.status != 304
        return SuiteCase(
            id: entry.id, raw: Array(entry.rawB64), asksRefusal: isVerdict && entry.llhttpError != nil,
            status: isPlain ? entry.status : nil, bodyBytes: isPlain ? entry.bodyBytes : nil, body: nil)
    }

    private static func webPlatform(_ entry: Entry) -> SuiteCase {
        SuiteCase(
            id: entry.id, raw: Array(entry.rawB64), asksRefusal: entry.expected == "network-error",
            status: entry.status, bodyBytes: entry.bodyBytes, body: entry.body.map { Array($0.utf8) })
    }

    private static func curl(_ entry: Entry) -> SuiteCase {
        // With options of its own the exit code is about more than the response; 23 is about where the body is written.
        let words = (entry.command ?? "").split(separator: " ").dropFirst().filter { $0 != "--compressed" }
        let exit = entry.curlExit ?? 0
        return SuiteCase(
            id: entry.id, raw: Array(entry.rawB64), asksRefusal: ![0, 23].contains(exit) && words.isEmpty,
            status: nil, bodyBytes: nil, body: nil)
    }

    /// Those written for this project: the two that no reader can take as they are.
    private static func probe(_ entry: Entry) -> SuiteCase {
        SuiteCase(
            id: entry.id, raw: Array(entry.rawB64),
            asksRefusal: ["huge-content-length", "eof-inside-headers", "cl-conflict"].contains(entry.id),
            status: nil, bodyBytes: nil, body: nil)
    }
}
