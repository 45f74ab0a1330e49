enum FishCompletions {
    /// A line for each command and for each option of a command, under the condition that the line is one of the
    /// command.
    static let script = """
        # Completions of patchbay for fish, as written by: patchbay completions fish

        # Whether the command is one of the arguments: '' before there is a word, and get for a line without a command.
        function __patchbay_is
            set -l words (commandline -opc)
            set -l command "$words[2]"
            contains -- "$command" '' \(names) help
            or set command get
            contains -- "$command" $argv
        end

        # The files after the @ of a word, with what stands before.
        function __patchbay_file_after_at
            set -l word (commandline -ct | string replace -r -- '^--[^=]*=' '')
            set -l parts (string split -m 1 -- @ $word)
            test (count $parts) = 2
            or return
            for file in (__fish_complete_path $parts[2])
                echo "$parts[1]@$file"
            end
        end

        complete -c patchbay -f
        complete -c patchbay -n '__patchbay_is \\'\\'' -l version -d 'print the version'
        \(lines.joined(separator: "\n"))

        """

    private static let names = Command.Name.allCases.map(\.rawValue).joined(separator: " ")

    private static let lines = Command.Name.allCases.flatMap(lines)

    private static func lines(_ name: Command.Name) -> [String] {
        let noCommand = "__patchbay_is help ''"
        let condition = "__patchbay_is \(name.rawValue)" + (name == .get ? " ''" : "")
        let command = line(noCommand, " -a " + name.rawValue, name.summary)
        let options = name.allOptions.map { option in
            let value = option.values.map { arguments($0) } ?? ""
            return line(condition, option.names.map(spelling).joined() + value, option.help)
        }
        let operand = arguments(name.operandValues, required: false)
        return [command] + options + (operand.isEmpty ? [] : [line(condition, operand)])
    }

    private static func line(_ condition: String, _ rest: String, _ description: String? = nil) -> String {
        "complete -c patchbay -n \(Shell.fish.quoted(condition))" + rest
            + (description.map { " -d " + Shell.fish.quoted($0) } ?? "")
    }

    private static func spelling(_ name: String) -> String {
        name.hasPrefix("--") ? " -l " + name.dropFirst(2) : " -s " + name.dropFirst()
    }

    private static func arguments(_ values: CommandOption.Values, required: Bool = true) -> String {
        let words = values.words.isEmpty ? "" : " -a " + Shell.fish.quoted(values.words.joined(separator: " "))
        switch values.files {
        case .none: return (required ? " -x" : "") + words
        case .any: return (required ? " -r" : "") + " -F" + words
        case .afterAt: return " -x -a '(__patchbay_file_after_at)'"
        }
    }
}
