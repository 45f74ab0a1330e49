import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// Reads and writes Netscape cookie files, the format of `curl -b` and `curl -c`.
enum CookieFile {
    /// The size limit of a file, in bytes.
    static let maximumBytes = 16 << 20

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The cookies of a file, in the order of the file, including expired and repeated cookies.
    static func cookies(in bytes: [UInt8]) throws(FormatFailure) -> [Cookie] {
        var cookies: [Cookie] = []
        var number = 0
        // Splits one line at a time, because an array of 16 million empty lines is large.
        var rest = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
        while !rest.isEmpty {
            number += 1
            var line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            let isComment = line.first == UInt8(ascii: "#") && !line.starts(with: Cookie.httpOnlyMark.utf8)
            if isComment || line.allSatisfy(FieldByte.isBlank) { continue }
            do throws(FormatFailure) {
                cookies.append(try Cookie(line: line).checked())
            } catch {
                throw refused(error.code, error.reason, line: number)
            }
        }
        return cookies
    }

    /// The bytes of a file with these cookies.
    static func bytes(of cookies: [Cookie]) -> [UInt8] {
        Array("# Netscape HTTP Cookie File\n".utf8) + cookies.flatMap { $0.line + [UInt8(ascii: "\n")] }
    }

    private static func refused(_ code: FormatFailure.Code, _ reason: String, line: Int? = nil) -> FormatFailure {
        FormatFailure("cookie-file", code, reason, line: line)
    }
}

extension CookieFile {
    /// Reads a file.
    /// - Throws: `SessionError`, or `FormatFailure` if the file is too large.
    static func bytes(of url: URL) throws -> [UInt8] {
        // Not `path(percentEncoded: false)`, which differs from `lastPathComponent` if the name has `%2F` or `%00`.
        // A zero byte would end the path for the system.
        let path = url.path
        guard url.isFileURL, !path.utf8.contains(0) else { throw failure(url, .other("the URL names no file")) }
        switch FileReading.of(path, upTo: maximumBytes) {
        case .bytes(let bytes) where bytes.count > maximumBytes:
            throw refused(.limit, "it is larger than \(ByteCount(maximumBytes))")
        case .bytes(let bytes): return bytes
        case .failed(let code): throw failure(url, .system(code))
        case .notRegular: throw failure(url, .other("it is not a regular file"))
        }
    }

    private static func failure(_ url: URL, _ cause: FileFailure.Cause) -> SessionError {
        SessionError(FileFailure(name: url.lastPathComponent, cause, .read))
    }

    /// Writes the cookies to a part file, which then replaces the file.
    static func write(_ cookies: [Cookie], to url: URL, _ calls: FileCalls = .system) throws(SessionError) {
        var place = DownloadDestination.file(url).replacingFile()
        // A temporary file stays readable by its owner alone.
        place.isTemporary = true
        do throws(FileFailure) {
            var part = try PartialFile(url, place, calls)
            defer { part.discard() }
            // Removes the part files of processes that ended while they wrote this file.
            part.folder.removeAbandonedParts(of: part.name, calls)
            if bytes(of: cookies).withUnsafeBytes({ part.append($0) }) { try part.finish { false } }
            if let failure = part.failure { throw failure }
        } catch {
            throw SessionError(error)
        }
    }
}

/// A cookie as a line of a Netscape cookie file: domain, subdomains, path, secure, expiry, name and value, separated by
/// tabs.
extension Cookie {
    fileprivate static let httpOnlyMark = "#HttpOnly_"

    /// The cookie of a line. Its name, value and domain are not checked: see `checked()`.
    /// - Throws: `FormatFailure` if a column is missing or of the wrong kind. The reason does not quote the line.
    init(line: some Collection<UInt8>) throws(FormatFailure) {
        let isHTTPOnly = line.starts(with: Self.httpOnlyMark.utf8)
        // A value can have tabs.
        let columns = line.dropFirst(isHTTPOnly ? Self.httpOnlyMark.utf8.count : 0)
            .split(separator: UInt8(ascii: "\t"), maxSplits: 6, omittingEmptySubsequences: false)
        // If the value is empty, a file of another program can lack the tab before the value.
        guard columns.count >= 6 else {
            throw Self.refused("it has \(columns.count) columns separated by tabs, not 7")
        }
        let texts = columns.prefix(5).map { FieldText(octets: $0).text }
        let pair = Self.pair(columns[5], columns.count > 6 ? columns[6] : columns[5].suffix(0))
        let hasDot = texts[0].utf8.first == UInt8(ascii: ".")
        let domain = String(Substring(texts[0].utf8.dropFirst(hasDot ? 1 : 0)))
        let isBareIPv6 = domain.utf8.contains(UInt8(ascii: ":")) && domain.utf8.first != UInt8(ascii: "[")
        self.init(
            name: pair.name, value: pair.value, domain: isBareIPv6 ? "[\(domain)]" : domain,
            includesSubdomains: try Self.flag(texts[1], "second"), path: Self.path(texts[2]),
            isSecure: try Self.flag(texts[3], "fourth"), isHTTPOnly: isHTTPOnly,
            expires: try Self.expiry(texts[4]), charset: pair.charset)
    }

    /// The line, without a line break.
    fileprivate var line: [UInt8] {
        let columns = [
            // Programs other than libcurl need a dot before the domain of a cookie that includes subdomains.
            (isHTTPOnly ? Self.httpOnlyMark : "") + (includesSubdomains ? "." : "")
                + String(domain.unicodeScalars.filter { $0 != "[" && $0 != "]" }),
            includesSubdomains ? "TRUE" : "FALSE", path,
            isSecure ? "TRUE" : "FALSE", "\(expires.map(Self.seconds) ?? 0)", "",
        ]
        return columns.joined(separator: "\t").utf8 + nameText.octets + [UInt8(ascii: "\t")] + valueText.octets
    }

    private static func flag(_ column: String, _ number: String) throws(FormatFailure) -> Bool {
        switch FieldByte.lowercased(column) {
        case "true": true
        case "false": false
        default: throw refused("its \(number) column is neither TRUE nor FALSE")
        }
    }

    /// The path that libcurl takes from the column, which has the `Path` attribute as the server sent it. A quote at the
    /// end alone belongs to the path.
    private static func path(_ column: String) -> String {
        var path = column.utf8[...]
        if path.first == UInt8(ascii: "\"") {
            path.removeFirst()
            if path.last == UInt8(ascii: "\"") { path.removeLast() }
        }
        return path.first == UInt8(ascii: "/") ? String(Substring(path)) : "/"
    }

    /// The date of a number of seconds since 1970; nil for 0, which marks a session cookie. Other programs also write
    /// an empty column for a session cookie, and fractions of a second, which are dropped.
    private static func expiry(_ column: String) throws(FormatFailure) -> Date? {
        guard !column.isEmpty else { return nil }
        let parts = column.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let isNegative = column.utf8.first == UInt8(ascii: "-")
        let numbers = [parts[0].dropFirst(isNegative ? 1 : 0)] + parts.dropFirst()
        guard numbers.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }) else {
            throw refused("its fifth column is not a number of seconds")
        }
        let seconds = Int64(Substring(parts[0])) ?? (isNegative ? .min : .max)
        return seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds))
    }

    /// The whole seconds since 1970. 0 means a session cookie, so an expiry before 1970 becomes 1.
    private static func seconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        return seconds < 1 ? 1 : Int64(exactly: seconds) ?? .max
    }
}
