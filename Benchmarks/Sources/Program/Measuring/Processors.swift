import Foundation

/// The processors that this process and the server can run on.
struct Processors {
    private let server: Int32
    /// All of them, as taskset writes them: `0-3,6`.
    private let all: String

    /// Nil if there is only one.
    init?(server: Int32) {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        let words = line?.split(whereSeparator: \.isWhitespace) ?? []
        guard words.count == 2, words[1].contains(where: { $0 == "-" || $0 == "," }) else { return nil }
        (self.server, all) = (server, String(words[1]))
    }

    /// Does work with this process on the first processor, and the server on the last one. A request that is alone wakes
    /// one thread after another, and takes longer if each wakes on another processor, which differs from run to run.
    func apart<Result>(_ work: () async throws -> Result) async throws -> Result {
        let numbers = all.split { !$0.isNumber }
        try keep(ProcessInfo.processInfo.processIdentifier, on: String(numbers.first ?? "0"))
        try keep(server, on: String(numbers.last ?? "0"))
        let result = try await work()
        for process in [ProcessInfo.processInfo.processIdentifier, server] { try keep(process, on: all) }
        return result
    }

    private func keep(_ process: Int32, on processors: String) throws {
        let words = ["--all-tasks", "--cpu-list", "--pid", processors, "\(process)"]
        guard try ChildProgram("/usr/bin/taskset", words).run() == 0 else {
            throw WorkFailure("taskset cannot keep process \(process) on \(processors)")
        }
    }
}
