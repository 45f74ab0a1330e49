/// The completions for bash. They do without the package bash-completion.
enum BashCompletions {
    /// A function that finds the command, the option before the word, and the part of the word to complete; then one
    /// `case` for each command.
    ///
    /// The words come from `COMP_LINE`: `COMP_WORDS` is cut at each `:`, `=` and `@`, so that a URL is several words.
    /// `$2` is the end of the word that readline replaces. Where only files are possible they are left to readline
    /// (`-o default`), which knows about quotes, spaces and `~`.
    static let script = """
        # Completions of patchbay for bash, as written by: patchbay completions bash

        _patchbay() {
            local IFS=$' \\t\\n' line=${COMP_LINE:0:COMP_POINT}
            local words word option command=get values='' files='' found rest
            local commands=\(Shell.bash.quoted(commands))
            COMPREPLY=()
            read -ra words <<<"$line"
            [[ $line != *[[:space:]] ]] || words+=('')
            word=${words[${#words[@]} - 1]}
            option=${words[${#words[@]} - 2]}
            if [[ $word == --*=* ]]; then
                option=${word%%=*}
                word=${word#*=}
            fi
            # A line without a command is one of get.
            if ((${#words[@]} > 2)); then
                case ${words[1]} in
                \(Command.Name.allCases.map(\.rawValue).joined(separator: " | ")) | help) command=${words[1]} ;;
                esac
            elif [[ $word != -* ]]; then
                command=help
            fi
            case $command in
            help) values=$commands ;;
        \(Command.Name.allCases.map(commandCase).joined(separator: "\n"))
            esac
            if ((${#words[@]} == 2)) && [[ $word == -* ]]; then values+=' --version'; fi
            case $files,$values in
            any,) return ;;
            after-at,) if [[ $word == *@* ]]; then word=${word#*@}; else files=''; fi ;;
            esac
            # Outside of a completion compopt fails.
            compopt +o default 2>/dev/null
            [[ $files != any ]] || compopt -o filenames 2>/dev/null
            while IFS= read -r found; do
                rest=${found#"$word"}
                # Not -o filenames: readline would quote the @.
                if [[ $files == after-at ]]; then
                    [[ -z $rest ]] || printf -v rest %q "$rest"
                    if [[ -d $found ]]; then
                        rest+=/
                        compopt -o nospace 2>/dev/null
                    fi
                fi
                COMPREPLY+=("$2$rest")
            done < <(
                compgen -W "$values" -- "$word"
                [[ -z $files ]] || compgen -f -- "$word"
            )
        }

        complete -o default -F _patchbay patchbay

        """

    private static let commands = Command.Name.allCases.map(\.rawValue).joined(separator: " ")

    private static func commandCase(_ name: Command.Name) -> String {
        let options = name.allOptions.flatMap(\.names).joined(separator: " ")
        let valued = name.optionsByValues.map { values, options in
            "        " + options.flatMap(\.names).map { $0 + ",*" }.joined(separator: " | ") + ")"
                + assignment(values) + " ;;"
        }
        return """
                \(name.rawValue))
                    case $option,$word in
            \(valued.joined(separator: "\n"))
                    *,-*) values=\(Shell.bash.quoted(options)) ;;
                    *)\(assignment(name.operandValues)) ;;
                    esac
                    ;;
            """
    }

    private static func assignment(_ values: CommandOption.Values) -> String {
        let words = values.words.isEmpty ? "" : " values=" + Shell.bash.quoted(values.words.joined(separator: " "))
        switch values.files {
        case .none: return words
        case .any: return words + " files=any"
        case .afterAt: return words + " files=after-at"
        }
    }
}
