public import PatchbayPlatform

/// The times and durations by the names that Alamofire 4 gave them.
extension Timeline {
    /// `start`.
    public var requestStart: Date { start }
    /// When the head of the final response had arrived.
    public var initialResponse: Date { date(head) }
    /// When the last byte of the body had arrived.
    public var requestCompleted: Date { date(body) }
    /// When the value was made.
    public var serializationCompleted: Date { date(serialized) }

    /// From the start to the head of the response.
    public var latency: Duration { head }
    /// From the start to the last byte of the body.
    public var requestDuration: Duration { body }
    /// From the last byte of the body to the value.
    public var serializationDuration: Duration { serialized - body }
    /// From the start to the value.
    public var totalDuration: Duration { serialized }

    private func date(_ step: Duration) -> Date {
        start.addingTimeInterval(Double(step.components.seconds) + Double(step.components.attoseconds) / 1e18)
    }
}

extension Timeline: CustomStringConvertible {
    /// `latency 0.120 s, request 0.131 s, serialization 0.002 s, total 0.133 s`
    public var description: String {
        let steps = [
            ("latency", latency), ("request", requestDuration), ("serialization", serializationDuration),
            ("total", totalDuration),
        ]
        return steps.map { "\($0) \(Self.seconds($1)) s" }.joined(separator: ", ")
    }

    /// With three decimals, rounded to the nearest.
    static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let thousandths = seconds * 1_000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
        let fraction = "\(1_000 + thousandths % 1_000)".dropFirst()
        return "\(thousandths / 1_000).\(fraction)"
    }
}
