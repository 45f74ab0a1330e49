// The program. Arguments parses the command line, each file of Commands is a command, and Output prints.

import Patchbay
import PatchbayPlatform

/// `patchbay`: the library as a command. Parses the words, runs the command, prints, exits.
@main struct Program {
    static let version = UserAgent.version

    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        let code = ending(Console()) { () throws in
            let command = try Command(words)
            return try run(command.action, command.options, Console(command.options.colour))
        }
        exit(code.rawValue)
    }

    private static func run(
        _ action: Command.Action, _ options: CommonOptions, _ console: Console
    ) throws -> ExitCode {
        let printer = Printer(console, options)
        switch action {
        case .help(let name):
            try console.print(styled: Command.help(for: name, console))
            return .done
        case .version:
            #if os(Linux)
                try console.print("patchbay \(version), \(CurlTransport.libcurlVersion ?? "without libcurl")")
            #else
                try console.print("patchbay \(version)")
            #endif
            return .done
        case .get(let arguments):
            let registry = try loaded(options, console)
            let get = try GetCommand(arguments, registry, declared: options.factories, printer)
            Interruption.run { await ending(console) { try await get.run() } }
        case .demo(let port?, _):
            Interruption.run { await ending(console) { try await DemoCommand.serve(at: port, console) } }
        case .demo(nil, watches: true):
            let choice = ManifestChoice(options)
            guard !choice.paths.isEmpty else {
                throw UsageError(
                    "--watch: there is nothing to watch; name a file with --manifest, or write ./Plugins.json")
            }
            let demo = try DemoCommand(choice.base(), printer)
            Interruption.run { await ending(console) { try await demo.watch(choice.sources) } }
        case .demo(nil, watches: false):
            let demo = try DemoCommand(loaded(options, console), printer)
            Interruption.run { await ending(console) { try await demo.run() } }
        case .decode(let arguments):
            return try DecodeCommand(arguments: arguments, registry: loaded(options, console), printer: printer).run()
        case .explain(let arguments):
            return try ExplainCommand(arguments: arguments, registry: loaded(options, console), printer: printer).run()
        case .routes(let host, let page, let why, let traffic):
            let choice = ManifestChoice(options)
            let names = (choice.isBare ? [] : ["the built-in table"]) + choice.names
            return try RoutesCommand(
                host: host, page: page, explainsKeys: why, traffic: traffic, name: names.joined(separator: " + "),
                registry: loaded(options, console), printer: printer
            ).run()
        case .check(let manifests, let isStrict):
            return try CheckCommand(manifests, isStrict: isStrict, options, printer).run()
        case .manifest:
            try printer.print(loaded(options, console).effectiveManifest)
            return .done
        case .diff(let before, let after, let traffic):
            var diff = try DiffCommand(before, after, options, printer)
            diff?.traffic = traffic
            return try diff?.run() ?? .manifest
        case .test(let arguments):
            return try TestCommand(arguments: arguments, registry: loaded(options, console), printer: printer).run()
        case .initialise(let file): return try InitCommand(file: file, printer: printer).run()
        case .schema:
            try console.print(SchemaCommand.text)
            return .done
        case .completions(let shell):
            try console.print(shell.completions)
            return .done
        case .manual:
            try console.print(ManualPage.text)
            return .done
        }
    }

    /// The registry of a command; warnings about the manifests are printed on standard error.
    private static func loaded(_ options: CommonOptions, _ console: Console) throws(ManifestFailure)
        -> SerializerRegistry
    {
        let choice = ManifestChoice(options)
        if choice.isPassedOver {
            console.note("./Plugins.json has no \"manifestVersion\", so it is no manifest, and does not count")
        }
        let registry = try choice.registry()
        for note in registry.notes where note.isWarning { console.note("warning: \(note)") }
        return registry
    }

    /// Runs the body and returns its exit code. An error of the body is printed, and gives the exit code.
    private static func ending(_ console: Console, _ body: () throws -> ExitCode) -> ExitCode {
        do { return try body() } catch { return tell(error, console) }
    }

    private static func ending(_ console: Console, _ body: () async throws -> ExitCode) async -> ExitCode {
        do { return try await body() } catch { return tell(error, console) }
    }

    private static func tell(_ error: any Error, _ console: Console) -> ExitCode {
        switch error {
        case let error as UsageError:
            console.complain(error.description)
            if !error.description.contains("--help") { console.note("Try 'patchbay --help'.") }
            return .usage
        case let failure as CommandFailure:
            console.complain(failure.message)
            return failure.exitCode
        case let failure as ManifestFailure:
            console.note(failure)
            return .manifest
        default:
            console.complain((error as? any SafeToPrint)?.description ?? "\(FailureReason(error))")
            return .serialization
        }
    }
}

/// Turns the interrupt key (SIGINT), SIGTERM and the end of the terminal (SIGHUP) into the cancellation of a task.
enum Interruption {
    /// Runs the body, ends the process with its exit code, and never returns. Call it on the main thread, before there
    /// are other threads: a new thread inherits the block of the signal.
    ///
    /// The first signal cancels the body, which then prints how it ended; the second ends the process at once.
    static func run(_ body: @escaping @Sendable () async -> ExitCode) -> Never {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
        if !isIgnored(SIGHUP) { sigaddset(&signals, SIGHUP) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let task = Task { exit(await body().rawValue) }
        wait(for: &signals)
        task.cancel()
        wait(for: &signals)
        _exit(ExitCode.interrupted.rawValue)
    }

    /// Runs work that no cancellation wakes, such as reading what a person types: a signal meanwhile ends the process at
    /// once, after `cleanUp`.
    static func endingAtOnce<Value: Sendable>(
        _ cleanUp: @escaping @Sendable () -> Void = {}, _ work: () throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        let result: Result<Value, CommandFailure> = await withTaskCancellationHandler {
            Result { () throws(CommandFailure) in try work() }
        } onCancel: {
            cleanUp()
            _exit(ExitCode.interrupted.rawValue)
        }
        return try result.get()
    }

    /// Whether the parent asked for the signal to be ignored, as `nohup` does. A blocked signal would arrive all the
    /// same, as SIGINT must in a shell's background job.
    private static func isIgnored(_ number: Int32) -> Bool {
        let handler = signal(number, SIG_DFL)
        // Swift cannot compare C functions; SIG_IGN is the address 1.
        guard unsafeBitCast(handler, to: Int.self) == 1 else { return false }
        signal(number, SIG_IGN)
        return true
    }

    private static func wait(for signals: inout sigset_t) {
        var received: Int32 = 0
        while sigwait(&signals, &received) != 0 {}
    }
}
