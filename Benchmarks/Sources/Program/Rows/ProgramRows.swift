import Foundation

/// What the program `patchbay` costs before it does anything: its start, its size and its build.
struct ProgramRows {
    private let stopwatch: Stopwatch
    private let arguments: Arguments

    init(_ stopwatch: Stopwatch, _ arguments: Arguments) {
        self.stopwatch = stopwatch
        self.arguments = arguments
    }

    func rows() async throws -> [Row] {
        guard let program = arguments.program, let bare = arguments.bare else { return [] }
        func start(_ path: String, _ words: [String]) -> Contest.Work {
            { times in
                for _ in 0..<times where try ChildProgram(path, words).run() != 0 {
                    throw WorkFailure("\(path) failed")
                }
            }
        }
        let medians = try await stopwatch.medians([start(program, ["--help"]), start(bare, [])])
        var rows = [
            Row(
                row: "`patchbay --help`", against: "a bare Swift program", ratio: medians[1] / medians[0], goal: 1 / 4,
                ours: medians[0] * 1e3, theirs: medians[1] * 1e3, unit: "ms")
        ]
        let sizes = (ours: try size(program), theirs: try size(bare))
        rows.append(
            Row(
                row: "size of `patchbay`, stripped of nothing", against: "a bare Swift program",
                ratio: sizes.theirs / sizes.ours, goal: 0, ours: sizes.ours, theirs: sizes.theirs, unit: "MB"))
        if let seconds = arguments.cleanBuild {
            rows.append(
                Row(
                    row: "clean release build of `patchbay`", against: "a minute", ratio: 60 / seconds, goal: 0,
                    ours: seconds, theirs: 60, unit: "s"))
        }
        return rows
    }

    private func size(_ path: String) throws -> Double {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return Double(attributes[.size] as? Int ?? 0) / 1e6
    }
}
