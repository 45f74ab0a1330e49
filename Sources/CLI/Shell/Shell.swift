// What makes the program at home in a shell: completions and the manual page, made from the same definitions as help.

import PatchbayTools

/// A shell that completes the words of a command line with a script.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// The script, which needs no other package.
    var completions: String {
        switch self {
        case .bash: BashCompletions.script
        case .zsh: ZshCompletions.script
        case .fish: FishCompletions.script
        }
    }

    /// A text as one word of the shell, in single quotes.
    func quoted(_ text: String) -> String {
        switch self {
        case .bash, .zsh: "'" + text.replacing("'", with: #"'\''"#) + "'"
        case .fish: "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
        }
    }
}

extension Command.Name {
    /// What a shell offers as an operand.
    var operandValues: CommandOption.Values { CommandOption.Values(operands) }

    /// Options with a value, together with all options that offer the same.
    var optionsByValues: [(values: CommandOption.Values, options: [CommandOption])] {
        allOptions.grouped(by: \.values).compactMap { options in options[0].values.map { ($0, options) } }
    }
}
