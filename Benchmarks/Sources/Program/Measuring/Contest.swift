/// One row or several: a thing that Patchbay does, and those who do the same, measured in turns.
struct Contest {
    /// Does the work so many times.
    typealias Work = (_ times: Int) async throws -> Void

    struct Peer {
        let name: String
        /// The least ratio to reach; 0 where none is asked for.
        let goal: Double
        let work: Work
    }

    let row: String
    let unit: Unit
    var meter = Meter.time
    let ours: Work
    let peers: [Peer]
}
