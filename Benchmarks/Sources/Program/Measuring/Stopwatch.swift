/// Times the sides of a contest in turns, so that a busy moment of the machine falls on all of them.
struct Stopwatch {
    /// How often each side is timed; the median counts.
    let rounds: Int
    /// How long one timing is to take.
    let sample: Duration

    init(isQuick: Bool) {
        rounds = isQuick ? 3 : 9
        sample = .milliseconds(isQuick ? 15 : 100)
    }

    /// - Throws: what a side throws.
    func rows(_ contest: Contest) async throws -> [Row] {
        let medians = try await medians([contest.ours] + contest.peers.map(\.work), contest.meter)
        return zip(contest.peers, medians.dropFirst()).map { peer, theirs in
            Row(
                row: contest.row, against: peer.name, ratio: theirs / medians[0], goal: peer.goal,
                ours: contest.unit.figure(medians[0]), theirs: contest.unit.figure(theirs), unit: contest.unit.name)
        }
    }

    /// The seconds that each side needs for one time.
    func medians(_ sides: [Contest.Work], _ meter: Meter = .time) async throws -> [Double] {
        var times: [Int] = []
        for side in sides { times.append(try await timesToFill(side)) }
        var samples = [[Double]](repeating: [], count: sides.count)
        for _ in 0..<rounds {
            for (index, side) in sides.enumerated() {
                samples[index].append(try await seconds(side, times[index], meter) / Double(times[index]))
            }
        }
        return samples.map { $0.sorted()[$0.count / 2] }
    }

    /// How many times fill one sample; warms the side up as well.
    private func timesToFill(_ side: Contest.Work) async throws -> Int {
        let wanted = sample / .seconds(1)
        var times = 1
        while true {
            let taken = try await seconds(side, times, .time)
            if taken >= wanted / 4 { return max(1, Int(Double(times) * wanted / taken)) }
            times *= 4
        }
    }

    private func seconds(_ side: Contest.Work, _ times: Int, _ meter: Meter) async throws -> Double {
        let start = meter.seconds
        try await side(times)
        return meter.seconds - start
    }
}
