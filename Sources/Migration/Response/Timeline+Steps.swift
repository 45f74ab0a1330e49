public import PatchbayManager
public import PatchbayPlatform

/// The times and durations of a call by the names that Alamofire 4 gave them.
extension CallTimeline {
    /// `start`.
    public var requestStart: Date { start }
    /// The time at which the head of the final response had arrived.
    public var initialResponse: Date { date(head) }
    /// The time at which the last byte of the body had arrived.
    public var requestCompleted: Date { date(body) }
    /// The time at which the value was made.
    public var serializationCompleted: Date { date(serialized) }

    /// The duration from the start to the head of the response.
    public var latency: Duration { head }
    /// The duration from the start to the last byte of the body.
    public var requestDuration: Duration { body }
    /// The duration from the last byte of the body to the value.
    public var serializationDuration: Duration { serialized - body }
    /// The duration from the start to the value.
    public var totalDuration: Duration { ended }

    private func date(_ step: Duration) -> Date {
        start.addingTimeInterval(Double(step.components.seconds) + Double(step.components.attoseconds) / 1e18)
    }
}
