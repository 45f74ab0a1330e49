import Foundation

/// The most memory that this process has had in use so far (`VmHWM`, proc_pid_status(5)), where there is a Linux to say so.
package enum PeakMemory {
    package struct Unreadable: Error {}

    /// In KiB.
    package static func kibibytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let count = Int(line.filter(\.isNumber))
        else { throw Unreadable() }
        return count
    }
}
