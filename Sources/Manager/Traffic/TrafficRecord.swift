import PatchbayPlatform
import PatchbayRegistry

/// What the traffic logs get of one response. The steps of the call note it; the thread of a log makes a line of it.
struct TrafficRecord: Sendable {
    // Noted when an exchange begins.
    var began = Duration.zero
    /// The whole path of the request's template; nil without one.
    var template: String?
    /// The length of the content; nil without content.
    var sentBytes: Int64?
    // Noted when the head arrives.
    var decision: Decision?
    /// The number of bytes that a resumed file already has.
    var offset = 0
    // Noted at the end of the attempt or of the call, without body and value.
    var wanted = WantedValue.anything
    var bytes: Int64 = 0
    var outcome = Decision.Outcome.error
    var entry: String?
    /// The decision with its outcome, if entries failed or an entry unwrapped the body.
    var ended: Decision?
    var error: SessionError.Code?
    var writer: WriterLookup?
    var start = Date(timeIntervalSince1970: 0)
    /// The times from the start of the call.
    var bodyEnd = Duration.zero
    var valueEnd = Duration.zero
    var retries = 0
    var cache: CacheStatus?

    fileprivate mutating func note(_ timeline: CallTimeline, retries: Int) {
        (start, bodyEnd, valueEnd, self.retries) = (timeline.start, timeline.body, timeline.serialized, retries)
        cache = timeline.exchange.cacheStatus
    }
}

/// The record of a call. A class, because copies of a record cost more than its line may.
final class TrafficNotes: Sendable {
    let record: Guarded<TrafficRecord>

    init(_ record: TrafficRecord = TrafficRecord()) { self.record = Guarded(record) }

    /// Moves the record to notes of its own, which the next attempt does not change.
    func taken() -> TrafficNotes {
        var record = TrafficRecord()
        self.record.withLock { swap(&$0, &record) }
        return TrafficNotes(record)
    }

    func note(_ decision: Decision, after offset: Int = 0) {
        record.letGo { record in
            defer { (record.decision, record.offset) = (decision, offset) }
            return record.decision
        }
    }
}

extension Call {
    @inline(never)
    func note(_ exchange: Exchange, in traffic: TrafficNotes) {
        let (length, template) = (exchange.outgoing.body.map { $0.length ?? -1 }, exchange.outgoing.template)
        traffic.record.letGo { [began = timeouts.elapsed] record in
            // The response of a redirect.
            defer { (record.decision, record.offset) = (nil, 0) }
            (record.began, record.template, record.sentBytes) = (began, template, length)
            return record.decision
        }
    }

    /// Passes the record to the logs, if there was a response.
    @inline(never)
    func log(_ traffic: TrafficNotes, _ result: Result<Reply<any Sendable>, SessionError>) {
        let (arrived, sent) = task.life.withLock { ($0.download.completedBytes, $0.upload.completedBytes) }
        let isAnswered = traffic.record.withLock { record in
            guard let decision = record.decision else { return false }
            if record.sentBytes == -1 { record.sentBytes = sent }
            switch result {
            case .success(let reply):
                (record.outcome, record.entry, record.writer) = (reply.outcome, reply.entry, reply.writer)
                if reply.isSecondChoice { record.ended = reply.decision }
                record.note(reply.timeline, retries: reply.timeline.retries)
            case .failure(let error):
                let facts = error.facts
                (record.outcome, record.entry, record.writer) = (facts.outcome ?? .error, facts.entry, facts.writer)
                (record.error, record.ended) = (facts.code, error.decision)
                record.bytes = Int64(error.body?.count ?? 0)
                if let timeline = facts.timeline { record.note(timeline, retries: facts.retries) }
            }
            if decision.isAcceptable { record.bytes = max(arrived - Int64(record.offset), 0) }
            // The table has no part in the value of a download.
            let isFile = file?.isSerialized == false
            record.wanted = isFile ? .type(ResponseBody.self) : decision.isAcceptable ? decision.wanted : wanted
            return true
        }
        if isAnswered { for log in manager.taskList.logs { log.append(traffic) } }
    }
}
