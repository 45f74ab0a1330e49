import Patchbay
import PatchbayPlatform

/// Shows the progress of a long transfer on standard error: one moving line on a terminal, and a plain line now and then
/// where bytes go to or come from a file and there is no terminal. Shows nothing in the first half second.
final class ProgressLine: Sendable {
    private struct State {
        var latest: (progress: TransferProgress, isUpload: Bool)?
        var start = ContinuousClock.now
        /// The bytes that a continued file had before.
        var before: Int64 = 0
        var nextPlainLine = Duration.milliseconds(500)
        var isShown = false
        var hasEnded = false
    }

    private let console: Console
    private let isOn: Bool
    private let continues: Bool
    private let state = Guarded(State())
    private let ticking = Guarded<Task<Void, Never>?>(nil)

    init(_ console: Console, isOn: Bool, _ arguments: GetArguments) {
        self.console = console
        let isFile =
            switch (arguments.output, arguments.content) {
            case (.file, _), (.suggestedFile, _), (_, .file), (_, .parts): true
            default: false
            }
        continues = arguments.resumes
        self.isOn = isOn && (console.isErrorTerminal || isFile)
    }

    /// Watches both directions of a request.
    func watch(_ request: inout SessionRequest) {
        guard isOn else { return }
        if request.content != nil { request.onUploadProgress = { [self] in note($0, isUpload: true) } }
        request.onDownloadProgress = { [self] in note($0, isUpload: false) }
        state.withLock { $0.start = .now }
        let task = Task { [self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                tick()
            }
        }
        ticking.withLock { $0 = task }
    }

    /// Removes the moving line. Nothing is shown afterwards.
    func end() {
        ticking.withLock(\.self)?.cancel()
        state.withLock { state in
            if state.isShown, console.isErrorTerminal { console.say("\r\u{1B}[K") }
            (state.hasEnded, state.isShown) = (true, false)
        }
    }

    private func note(_ progress: TransferProgress, isUpload: Bool) {
        state.withLock { state in
            if continues {
                // A server that refuses the rest sends the file from its start.
                let before = state.latest == nil ? progress.completedBytes : state.before
                state.before = min(before, progress.completedBytes)
            }
            // The answer to an upload follows the upload, so the direction that moved last is shown.
            if isUpload || progress.completedBytes > 0 { state.latest = (progress, isUpload) }
        }
    }

    private func tick() {
        state.withLock { state in
            let elapsed = state.start.duration(to: .now)
            guard !state.hasEnded, elapsed >= .milliseconds(500), let (progress, isUpload) = state.latest else {
                return
            }
            let width = console.isErrorTerminal ? Console.columns(STDERR_FILENO) - 1 : nil
            let text = Self.text(progress, isUpload: isUpload, after: elapsed, before: state.before, width: width)
            if let width {
                let bar = Self.bar(progress.fractionCompleted, width: width - text.count - 1)
                console.say("\r\u{1B}[K" + (text + bar).prefix(width))
                state.isShown = true
            } else if elapsed >= state.nextPlainLine {
                console.say(text + "\n")
                state.nextPlainLine = min(elapsed * 2, elapsed + .seconds(30))
            }
        }
    }

    /// `sent 112.0 MB of 268.4 MB, 42 %, 35.1 MB/s, 4 s left`.
    /// - Parameters:
    ///   - before: the bytes that were there before, which count for the size and not for the rate.
    ///   - width: the columns of the terminal: the parts at the end that have no room are left out.
    static func text(
        _ progress: TransferProgress, isUpload: Bool, after elapsed: Duration, before: Int64 = 0,
        width: Int? = nil
    ) -> String {
        let done = progress.completedBytes
        let seconds = max(0.001, Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18)
        let rate = Double(max(0, done - before)) / seconds
        var parts = [(isUpload ? "sent " : "received ") + size(Double(done))]
        let total = progress.totalBytes.flatMap { $0 >= done ? $0 : nil }
        if let total { parts[0] += " of \(size(Double(total)))" }
        if total != nil, let fraction = progress.fractionCompleted { parts.append("\(Int(fraction * 100)) %") }
        parts.append("\(size(rate))/s")
        if let total, rate > 0, total > done { parts.append("\(time(Double(total - done) / rate)) left") }
        while let width, parts.count > 1, parts.joined(separator: ", ").count > width { parts.removeLast() }
        return parts.joined(separator: ", ")
    }

    private static func bar(_ fraction: Double?, width: Int) -> String {
        guard let fraction, width >= 12 else { return "" }
        let cells = min(width - 3, 40)
        let full = Int((Double(cells) * min(1, max(0, fraction))).rounded())
        return " [" + String(repeating: "#", count: full) + String(repeating: "-", count: cells - full) + "]"
    }

    /// A size in powers of 1,000: `42 B`, `1.5 kB`, `268.4 MB`.
    static func size(_ bytes: Double) -> String {
        var (value, unit) = (bytes, 0)
        let units = ["B", "kB", "MB", "GB", "TB"]
        while value >= 1_000, unit < units.count - 1 { (value, unit) = (value / 1_000, unit + 1) }
        guard unit > 0 else { return "\(Int(value)) B" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    private static func time(_ seconds: Double) -> String {
        guard seconds < 360_000 else { return "days" }
        let whole = Int(seconds.rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }
}
