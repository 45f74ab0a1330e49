/// The completions for zsh: a function to be autoloaded as `_patchbay`, or sourced.
enum ZshCompletions {
    /// One `_arguments` for each command.
    static let script = """
        #compdef patchbay
        # Completions of patchbay for zsh, as written by: patchbay completions zsh

        _patchbay_file_after_at() { compset -P '*@' && _files }

        _patchbay() {
            local command=get
            local -a commands first
            commands=(
        \(Command.Name.allCases.map(described).joined(separator: "\n"))
            )
            # A line without a command is one of get.
            if (( CURRENT > 2 )); then
                case $words[2] in
                (\(Command.Name.allCases.map(\.rawValue).joined(separator: "|"))|help)
                    command=$words[2]
                    shift words
                    (( CURRENT-- ))
                    ;;
                esac
            elif [[ $words[2] == -* ]]; then
                first=('--version[print the version]')
            else
                command=help
            fi
            case $command in
            (help) _describe -t commands command commands ;;
        \(Command.Name.allCases.map(commandCase).joined(separator: "\n"))
            esac
        }

        if [[ $funcstack[1] == _patchbay ]]; then
            _patchbay "$@"
        else
            compdef _patchbay patchbay
        fi

        """

    private static func described(_ name: Command.Name) -> String {
        "        " + Shell.zsh.quoted(name.rawValue + ":" + name.summary)
    }

    private static func commandCase(_ name: Command.Name) -> String {
        // A message for an operand would count as a second choice beside the only option that fits.
        let values = name.operandValues
        let operands = "*:" + escaped(name.operands) + ":" + (values.isEmpty ? "{:}" : action(values))
        let rest = name.operands.isEmpty ? [] : [Shell.zsh.quoted(operands)]
        let specifications = name.allOptions.map(specification) + rest
        return """
                (\(name.rawValue))
                    _arguments -s -S $first \\
                        \(specifications.joined(separator: " \\\n            "))
                    ;;
            """
    }

    /// `'*'{--request=,-X+}'[help]:METHOD: '`. The `*` lets an option be given again; `=` and `+` let the value be in
    /// the same word or in the next one.
    private static func specification(_ option: CommandOption) -> String {
        let names = option.names.map { name in
            option.placeholder == nil ? name : name + (name.hasPrefix("--") ? "=" : "+")
        }
        let value = option.placeholder.map { ":" + escaped($0) + ":" + action(CommandOption.Values($0)) } ?? ""
        let rest = "[" + escaped(option.help) + "]" + value
        return names.count == 1
            ? Shell.zsh.quoted("*" + names[0] + rest)
            : "'*'{\(names.joined(separator: ","))}" + Shell.zsh.quoted(rest)
    }

    /// What `_arguments` runs for a value. A space only shows the placeholder.
    private static func action(_ values: CommandOption.Values) -> String {
        let words = values.words.joined(separator: " ")
        switch values.files {
        case .none: return words.isEmpty ? " " : "(\(words))"
        case .any: return words.isEmpty ? "_files" : "{compadd -- \(words); _files}"
        case .afterAt: return "_patchbay_file_after_at"
        }
    }

    /// Without a meaning in a specification of `_arguments` or `_describe`.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            if #"\[]:"#.contains(character) { text += #"\"# }
            text.append(character)
        }
    }
}
