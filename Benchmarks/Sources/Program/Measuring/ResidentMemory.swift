import Foundation

/// The memory that this process has resident, in bytes, as Linux counts it.
enum ResidentMemory {
    static var now: Int { field("VmRSS:") }
    /// The most since `forgetPeak`.
    static var peak: Int { field("VmHWM:") }

    static func forgetPeak() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        file.write(Data("5".utf8))
    }

    private static func field(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }
}
