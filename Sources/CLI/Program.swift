#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `patchbay`: the library seen from a terminal. Parses the words, runs the command, prints, exits.
@main struct Program {
    static let version = "0.1.0"

    static func main() {
        let console = Console.standard
        do {
            exit(try run(Array(CommandLine.arguments.dropFirst()), console).rawValue)
        } catch let error as UsageError {
            console.complain(error.description)
            console.note("Try 'patchbay --help'.")
            exit(ExitCode.usage.rawValue)
        } catch let failure as CommandFailure {
            console.complain(failure.message)
            exit(failure.exitCode.rawValue)
        } catch {
            console.complain("\(error)")
            exit(ExitCode.serialization.rawValue)
        }
    }

    private static func run(_ words: [String], _ console: Console) throws -> ExitCode {
        switch try Command(words) {
        case .help(let name): try console.print(Command.help(for: name))
        case .version: try console.print("patchbay \(version)")
        default: break
        }
        return .done
    }
}
