import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Holds every public async function, and the ways to call them, to one promise: whoever calls from an actor is on it afterwards.
//
//     CallerIsolation           every call, in child processes, since one that breaks the promise ends its process
//     CallerIsolation names     the functions of the table, one a line
//     CallerIsolation from N    the calls from the N-th on, each announced by its number

struct Call: Sendable, CustomStringConvertible {
    let row: Row
    let ending: Ending
    let isOnMainActor: Bool

    var description: String { "\(row.name), \(ending.rawValue), from \(isOnMainActor ? "the main actor" : "an actor")" }

    /// - Throws: where it does not end as it should.
    func make() async throws {
        let here: any Actor = isOnMainActor ? MainActor.shared : Caller()
        var failure: (any Error)?
        // A task of its own, because a row may cancel the task that it runs in.
        do { try await Task { try await row.call(here, ending) }.value } catch { failure = error }
        guard (failure != nil) == (row.throwsFailure && ending == .failure) else {
            throw failure ?? Ending.Failure()
        }
    }
}

private actor Caller {}

let functions = [
    Row.verbs, Row.parameters, Row.downloads, Row.responses, Row.interceptors, Row.observers, Row.transports,
    Row.conformance,
].flatMap(\.self)
let calls = (functions + Row.ways).flatMap { row in
    Ending.allCases.flatMap { ending in
        [false, true].map { Call(row: row, ending: ending, isOnMainActor: $0) }
    }
}

/// Lets child after child make the calls, each from where the one before it died, and prints those that went wrong.
func holdsEveryCall() async throws -> Bool {
    let program = URL(filePath: CommandLine.arguments[0]).path(percentEncoded: false)
    let folder = FileManager.default.temporaryDirectory.appending(path: "caller-isolation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var next = 0
    var failed = 0
    while next < calls.count {
        let child = try await ChildProcess.run(
            program, ["from", "\(next)"], directory: folder.path(percentEncoded: false), limit: .seconds(60))
        guard child.end != .exited(0) else { break }
        let lines = child.outputText.split(separator: "\n")
        guard let last = lines.compactMap({ Int($0) }).last, calls.indices.contains(last) else {
            print("no child starts: \(child.end) \(child.errorText)")
            return false
        }
        failed += 1
        print("\(calls[last]): \(child.end == .exited(2) ? lines.last ?? "" : "\(child.end)")")
        next = last + 1
    }
    print("\(functions.count) functions, \(calls.count) calls, \(failed) failed")
    return failed == 0
}

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "names":
    for function in functions { print(function.name) }
case "from":
    for number in (words.last.flatMap { Int($0) } ?? 0)..<calls.count {
        print(number)
        fflush(nil)
        do {
            try await calls[number].make()
        } catch {
            print("unexpected: \(error)")
            exit(2)
        }
    }
default:
    exit(try await holdsEveryCall() ? 0 : 1)
}
