/// The ways in which `DigitsSerializer` can break the contract.
enum Flaw: String, Sendable, CaseIterable {
    case changesItsAnswer, changesBetweenTasks, writesToTheBody, writesBehindTheBody, refusesGood, declinesGood,
        takesBad,
        quotesTheBody, changesItsError, refusesEmpty

    /// What the kit says about it.
    var issue: String {
        switch self {
        case .changesItsAnswer: "the sample \"good\": it was given two different answers"
        case .changesBetweenTasks: "the sample \"good\": tasks at the same time were given different answers"
        case .writesToTheBody: "the sample \"good\": its bytes were changed"
        case .writesBehindTheBody: "the sample \"good\": its bytes were changed"
        case .refusesGood: "the sample \"good\": it is good, and was refused: no"
        case .declinesGood: "the sample \"good\": it is good, and was declined"
        case .takesBad: "the sample \"bad\": it is bad, and was taken"
        case .quotesTheBody: "the sample \"bad\": its body is quoted by the error"
        case .changesItsError: "the sample \"bad\": it was refused with two different errors"
        case .refusesEmpty: "it accepts empty bodies, and refused one: no"
        }
    }
}
