import Foundation

/// The memory that this process has resident, in bytes, as Linux counts it.
enum ResidentMemory {
    static var now: Int { field("VmRSS:") }
    /// The most since `forgetPeak`.
    static var peak: Int { field("VmHWM:") }

    /// Also gives back to the system what was freed: it would be used again, and hide what is taken.
    static func forgetPeak() {
        _ = giveBackMemory(0)
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        file.write(Data("5".utf8))
    }

    private static func field(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }
}

/// Of malloc.h, which is in no module.
@_silgen_name("malloc_trim")
private func giveBackMemory(_ padding: Int) -> Int32
