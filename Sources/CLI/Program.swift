#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `patchbay`: the library seen from a terminal. Parses the words, runs the command, prints, exits.
@main struct Program {
    static let version = "0.1.0"

    static func main() async {
        Interruption.hold()
        let console = Console.standard
        let code: ExitCode
        do {
            code = try await run(Command(Array(CommandLine.arguments.dropFirst())), console)
        } catch let error as UsageError {
            console.complain(error.description)
            console.note("Try 'patchbay --help'.")
            code = .usage
        } catch let failure as CommandFailure {
            console.complain(failure.message)
            code = failure.exitCode
        } catch {
            console.complain("\(error)")
            code = .serialization
        }
        exit(code.rawValue)
    }

    private static func run(_ command: Command, _ console: Console) async throws -> ExitCode {
        switch command {
        case .help(let name): try console.print(Command.help(for: name))
        case .version: try console.print("patchbay \(version)")
        default: break
        }
        return .done
    }
}
