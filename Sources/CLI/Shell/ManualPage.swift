/// The manual page, `patchbay.1`, in the macros of man(7).
enum ManualPage {
    static let text =
        ([
            ".TH PATCHBAY 1 \"\" \(Roff.argument("patchbay \(Program.version)")) \"User Commands\"",
            // Neither hyphens nor spaces within words and options that may be copied.
            ".nh", ".ad l",
            ".SH NAME", "patchbay \\- " + Roff.text("HTTP requests whose responses become values"),
            ".SH SYNOPSIS", bold("patchbay URL"), ".br", bold("patchbay COMMAND [options]"),
            ".SH DESCRIPTION", Roff.text(Command.about), ".PP",
            Roff.text("A line that begins with a URL, or with options before a URL, is one of the command get."),
            ".SH COMMANDS",
        ] + Command.Name.allCases.flatMap(command) + [".SH \"COMMON OPTIONS\""] + CommandOption.common.flatMap(option)
        + [".SH \"EXIT STATUS\""]
        + Command.exitCodes.flatMap { [".TP", bold("\($0.code.rawValue)"), Roff.text($0.meaning)] })
        .joined(separator: "\n") + "\n"

    private static func command(_ name: Command.Name) -> [String] {
        [".SS " + Roff.argument(name.rawValue), bold(name.usage), ".PP", Roff.text(name.sentence)]
            + name.options.flatMap(option) + [".PP", name.examples.count == 1 ? "Example:" : "Examples:"]
            + name.examples.flatMap { words, effect in
                [".PP", ".nf", ".RS 4", bold(words), Roff.text("    " + effect), ".RE", ".fi"]
            }
    }

    private static func option(_ option: CommandOption) -> [String] {
        let names = option.names.reversed().map { bold($0) }.joined(separator: ", ")
        return [".TP", names + (option.placeholder.map { " \\fI\(Roff.text($0))\\fR" } ?? ""), Roff.text(option.help)]
    }

    private static func bold(_ text: String) -> String { "\\fB\(Roff.text(text))\\fR" }
}

/// Text without a meaning for roff.
enum Roff {
    /// One line of text. A hyphen is written as `\-`, which can be copied as an option; ASCII quotes keep their shape,
    /// and everything beyond ASCII is written by its number.
    static func text(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if let escape = escapes[scalar] {
                result += escape
            } else if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        // At the start of a line a full stop begins a request, and a space breaks the line.
        return result.hasPrefix(".") || result.hasPrefix(" ") ? "\\&" + result : result
    }

    private static let escapes: [Unicode.Scalar: String] = [
        "\\": "\\(rs", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\n": " ",
    ]

    /// The text as one argument of a macro.
    static func argument(_ text: String) -> String { "\"" + self.text(text).replacing("\"", with: "\\(dq") + "\"" }
}
