import Foundation
import PatchbayJSON
import Testing

/// Dates that are written as text.
@Suite struct WrittenDateTests {
    @Test(
        "ISO 8601 has the years 1 to 9999",
        arguments: [
            (-63_114_076_800, "0001-01-01T00:00:00Z"), (252_423_993_599.9, "9999-12-31T23:59:59Z"),
            (-0.5, "2000-12-31T23:59:59Z"),
        ])
    func written(_ seconds: Double, _ text: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(try JSON(encoding: date, options: JSON.CodingOptions(dates: .iso8601)) == JSON(text))
    }

    @Test(
        "a date outside of them is refused with its place",
        arguments: [-63_114_076_801, 252_423_993_600, 1e15, -1e15, 1e300, .nan, .infinity, -.infinity])
    func refused(_ seconds: Double) throws {
        let error = try #require(throws: EncodingError.self) {
            try JSON(
                encoding: ["a": [Date(timeIntervalSinceReferenceDate: seconds)]],
                options: JSON.CodingOptions(dates: .iso8601))
        }
        // Foundation's Date would end the process here.
        #expect("\(error)".contains("s since 2001"))
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["a", "Index 0"])
    }
}
