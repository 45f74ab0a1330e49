/// One line of the table: a figure of Patchbay's beside another's.
struct Row: Codable {
    let row: String
    let against: String
    /// How many times better ours is; above 1 ours is better, whatever the unit.
    let ratio: Double
    /// The least ratio to reach; 0 where none is asked for.
    let goal: Double
    let ours: Double
    let theirs: Double
    let unit: String

    var isMissed: Bool { ratio < goal }
}
