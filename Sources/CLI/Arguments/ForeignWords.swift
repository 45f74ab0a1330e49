import Patchbay

/// Words of curl and HTTPie that are written otherwise here.
enum ForeignWords {
    /// What is said of an option.
    static let options = Dictionary(
        [
            (["-c", "-b", "--cookie", "--session"], "--cookie-jar reads and saves cookies"),
            (["-f", "--fail", "--fail-with-body", "--check-status"], "an error status always ends with exit code 5"),
            (["-w", "--write-out"], "--format json prints the status, the fields and the times"),
            (["-D", "--dump-header"], "-i prints the head before the body, -v on standard error"),
            (["-x"], "--proxy names a proxy"),
            (["--data-binary"], "--data sends a text as it is"),
            (["--data-raw"], "--data sends a text as it is, but a file if it begins with @"),
            (["--data-urlencode"], "--form encodes a field"),
            (["-G", "--get", "--url-query"], "a query is a part of the URL, 'URL?NAME=VALUE'"),
            (["-a", "--auth", "--basic"], "--user and --bearer authorize"),
            (["-n", "--netrc"], "--user @FILE reads NAME:PASSWORD from a file"),
            (["--digest", "--negotiate", "--ntlm"], "only --user and --bearer authorize"),
            (["-m", "--max-time"], "--timeout limits the whole call"),
            (["-r", "--range"], "-H 'Range: bytes=FIRST-LAST' asks for a part"),
            (["-A", "--user-agent"], "-H 'User-Agent: NAME' names the program"),
            (["--verify"], "--cacert names an authority, -k takes any certificate"),
            (["--headers"], "-I asks for the head, -i prints it before the body"),
            (["--body"], "the body is printed by default"),
            (["--download"], "--output and --remote-name write a file"),
            (["--follow"], "redirects are followed by default"), (["--no-location"], "--no-redirects follows none"),
            (["--pretty"], "a value is laid out by default, --raw prints the bytes"),
            (["-p", "--print"], "-i prints the head, -v the request as well"), (["-j"], "--json is the body"),
            (["-q", "--quiet"], "--silent prints less, -o /dev/null no body"), (["-J"], "-O takes the server's name"),
            (["-V"], "--version prints the version"), (["--oauth2-bearer", "--auth-type"], "--bearer sends a token"),
            (["--cert-key"], "--key names the key"), (["--cert-key-pass"], "--pass has the passphrase of the key"),
            (["--ignore-stdin"], "standard input is read only where @- or - names it"),
            (["--compressed"], "compressed bodies are always asked for and decoded"),
        ].flatMap { names, sentence in names.map { ($0, sentence + ";") } }, uniquingKeysWith: { $1 })

    static let methods = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]

    /// Refuses a method before the URL, and an item of HTTPie after it.
    static func refuse(operands: [String]) throws(UsageError) {
        guard operands.count > 1 else { return }
        guard !methods.contains(operands[0]) else {
            throw UsageError("'\(operands[0])' is no URL; -X \(operands[0]) sends a request of this method")
        }
        guard operands[0] != "-" else {
            throw UsageError("'-' is no URL; -C takes no value, it finds the bytes itself")
        }
        guard let (shown, hint) = item(operands[1]) else { return }
        throw UsageError("'\(shown)' is one operand too many; \(hint)")
    }

    /// An item, and what sends it here. A name or value that a shell would not take as it is, or that can be secret, is
    /// shown as `…`.
    private static func item(_ word: String) -> (shown: String, hint: String)? {
        let written = word.prefix { !":=@".contains($0) }
        let mark = word[written.endIndex...].prefix { ":=@".contains($0) }
        let rest = word[mark.endIndex...]
        func isPlain(_ text: Substring) -> Bool {
            text.allSatisfy { $0.isLetter || $0.isNumber || "-_./+ ".contains($0) }
        }
        let name = isPlain(written) ? String(written) : "…"
        let value =
            isPlain(rest) && name != "…" && !Secrets.isSecret(name) && !Redaction.isToken(rest) ? String(rest) : "…"
        // A second URL, and a user before a host, look like a field.
        let isField = !written.contains(".") && written != "localhost" && !rest.contains("@") && !rest.hasPrefix("//")
        let hint: String? =
            switch String(mark) {
            case "@" where written.isEmpty: "-d '@\(value)' sends a file"
            case _ where written.isEmpty: nil
            case "=": "--json '{\"\(name)\": \"\(value)\"}' sends it as JSON, --form '\(name)=\(value)' as a form"
            case ":=": "--json '{\"\(name)\": \(value)}' sends it as JSON"
            case ":=@": "--json '@\(value)' sends a file of JSON"
            case "==": "a query is a part of the URL, 'URL?\(name)=\(value.replacing(" ", with: "%20"))'"
            case "@", "=@": "-F '\(name)=@\(value)' sends a file in a form"
            case ":" where isField && rest.isEmpty: "-H '\(name):' leaves a header field out"
            case ":" where isField: "-H '\(name): \(value)' sends a header field"
            default: nil
            }
        return hint.map { (name + mark + value, $0) }
    }
}
