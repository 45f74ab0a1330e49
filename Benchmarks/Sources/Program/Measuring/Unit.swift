/// What a time is shown as.
enum Unit {
    case nanoseconds, microseconds, milliseconds
    case requestsPerSecond
    /// For so many bytes each time.
    case megabytesPerSecond(Int)

    var name: String {
        switch self {
        case .nanoseconds: "ns"
        case .microseconds: "µs"
        case .milliseconds: "ms"
        case .requestsPerSecond: "requests/s"
        case .megabytesPerSecond: "MB/s"
        }
    }

    /// The figure for one time of so many seconds.
    func figure(_ seconds: Double) -> Double {
        switch self {
        case .nanoseconds: seconds * 1e9
        case .microseconds: seconds * 1e6
        case .milliseconds: seconds * 1e3
        case .requestsPerSecond: 1 / seconds
        case .megabytesPerSecond(let bytes): Double(bytes) / 1e6 / seconds
        }
    }
}
