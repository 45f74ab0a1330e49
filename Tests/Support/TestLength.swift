import Foundation
import Synchronization

/// How much is asked by tests that could ask for ever. `scripts/test` asks little, in the minutes of who tries the project;
/// `scripts/check` sets `PATCHBAY_FULL_LENGTH` and asks all.
package enum TestLength {
    package static let isFull = ProcessInfo.processInfo.environment["PATCHBAY_FULL_LENGTH"] != nil
    private static let said = Mutex<Set<String>>([])

    /// The smaller number, unless all is to be asked; then the output of the tests says so.
    package static func count(_ short: Int, of full: Int, _ things: String) -> Int {
        guard !isFull else { return full }
        if said.withLock({ $0.insert(things).inserted }) {
            print("\(short) \(things); PATCHBAY_FULL_LENGTH=1 asks \(full)")
        }
        return short
    }
}
