import Foundation
import PatchbayJSON
import Testing

/// Every case goes through both decoders, which must agree on the value or on the kind and the place of the error.
@Suite struct DecoderDifferentialTests {
    static let person =
        #"{"name":"Ann","age":41,"role":"admin","addresses":[{"street":"A","houseNumber":1,"isHome":true},"#
        + #"{"isHome":false,"street":"B"}],"scores":{"x":1.5},"nickname":null}"#

    static let plain: [DecodingCase] = [
        DecodingCase(Person.self, person),
        DecodingCase(Person.self, person.replacing("41", with: "256")),
        DecodingCase(Person.self, person.replacing("41", with: "-1")),
        DecodingCase(Person.self, person.replacing("admin", with: "owner")),
        DecodingCase(Person.self, person.replacing("\"isHome\":false,", with: "")),
        DecodingCase(Person.self, person.replacing("1.5", with: "\"1.5\"")),
        DecodingCase(Person.self, person.replacing("\"B\"", with: "null")),
        DecodingCase(Person.self, "{}"),
        DecodingCase(Person.self, "[]"),
        DecodingCase(Person.self, "null"),
        DecodingCase(Person.self, "3"),
        DecodingCase([Person].self, "{}"),
        DecodingCase([Person?].self, "[null]"),
        DecodingCase(Person?.self, "null"),
        DecodingCase([String: Person?].self, #"{"a":null}"#),
        DecodingCase([Int: String].self, #"{"1":"a"}"#),
        DecodingCase([Int: String].self, #"{"x":"a"}"#),
        DecodingCase([String: Int].self, #"{"x":"a"}"#),
        DecodingCase([String: [Int]].self, #"{"x":[1,null]}"#),
        DecodingCase([[String: Int]].self, #"[{"x":1},{"y":true}]"#),
        DecodingCase(Set<Int>.self, "[3]"),
        DecodingCase(Shape.self, #"{"circle":{"radius":2}}"#),
        DecodingCase(Shape.self, #"{"square":{"side":2,"label":"s"}}"#),
        DecodingCase(Shape.self, #"{"square":{"side":2}}"#),
        DecodingCase(Shape.self, #"{"nothing":{}}"#),
        DecodingCase(Shape.self, #"{"square":{"label":"s"}}"#),
        DecodingCase(Shape.self, #"{"circle":{"radius":2},"nothing":{}}"#),
        DecodingCase(Shape.self, #"{"triangle":{}}"#),
        DecodingCase(Shape.self, "{}"),
        DecodingCase(Dog.self, #"{"name":"Rex","super":{"legs":4}}"#),
        DecodingCase(Dog.self, #"{"name":"Rex","super":{}}"#),
        DecodingCase(Dog.self, #"{"name":"Rex","super":{"legs":"4"}}"#),
        DecodingCase(Dog.self, #"{"name":"Rex"}"#),
        DecodingCase(Dog.self, #"{"name":"Rex","super":null}"#),
        DecodingCase(Grid.self, #"{"grid":[[1,2],null,[],[3]],"meta":{"title":"t"}}"#),
        DecodingCase(Grid.self, #"{"grid":[[1,2],[3,"x"]],"meta":{"title":"t"}}"#),
        DecodingCase(Grid.self, #"{"grid":[1],"meta":{"title":"t"}}"#),
        DecodingCase(Grid.self, #"{"grid":{},"meta":{"title":"t"}}"#),
        DecodingCase(Grid.self, #"{"grid":null,"meta":{"title":"t"}}"#),
        DecodingCase(Grid.self, #"{"grid":[],"meta":[]}"#),
        DecodingCase(Grid.self, #"{"grid":[],"meta":null}"#),
        DecodingCase(Grid.self, #"{"grid":[],"meta":{}}"#),
        DecodingCase(Grid.self, #"{"grid":[]}"#),
        DecodingCase(Grid.self, #"{"meta":{"title":"t"}}"#),
        DecodingCase(Triple.self, "[1,2,3,4]"),
        DecodingCase(Triple.self, "[1,2]"),
        DecodingCase(Triple.self, "[1,null,3]"),
        DecodingCase([Triple].self, "[[1,2,3],[1]]"),
        DecodingCase(Empty.self, #"{"a":1}"#),
        DecodingCase(Empty.self, "[]"),
        DecodingCase(Tagged<Int>.self, "7"),
        DecodingCase([Tagged<String>].self, #"["a",7]"#),
        DecodingCase(Measured.self, "7"),
        DecodingCase(Bool.self, "1"),
        DecodingCase(Bool.self, "true"),
        DecodingCase(Bool.self, "null"),
        DecodingCase(String.self, #""a\u00e9b""#),
        DecodingCase(String.self, "1"),
        DecodingCase(String?.self, "null"),
        DecodingCase(URL.self, #""https://example.com/a?b#c""#),
        DecodingCase(URL.self, #""""#),
        DecodingCase(Link.self, #"{"url":"http://[::1"}"#),
        DecodingCase(Link.self, #"{"url":null}"#),
        DecodingCase(Link.self, #"{"url":{"relative":"a"}}"#),
        DecodingCase(Decimal.self, "12.75"),
        DecodingCase(Decimal.self, "0.30000000000000003"),
        DecodingCase(Price.self, #"{"amount":12345678901234567890.123456789}"#),
        DecodingCase(Price.self, #"{"amount":"12"}"#),
        DecodingCase(Price.self, #"{"amount":null}"#),
        DecodingCase(Price.self, #"{"amount":-0.001}"#),
        DecodingCase(Price.self, #"{"amount":18446744073709551615}"#),
        DecodingCase(Moment.self, #"{"at":12.5}"#),
        DecodingCase(Moment.self, #"{"at":"x"}"#),
        DecodingCase(Moment.self, #"{"at":null}"#),
        DecodingCase(Blob.self, #"{"data":"AQID"}"#),
        DecodingCase(Blob.self, #"{"data":"AQI"}"#),
        DecodingCase(Blob.self, #"{"data":"****"}"#),
        DecodingCase(Blob.self, #"{"data":[1,2]}"#),
        DecodingCase(Blob.self, #"{"data":null}"#),
        DecodingCase(Blob.self, "{}"),
    ]

    @Test(arguments: plain) func agreesByDefault(_ item: DecodingCase) {
        expectAgreement(item, .init(), JSONDecoder())
    }

    static let numbers = [
        "0", "-0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "65535", "65536",
        "2147483647", "2147483648", "4294967295", "4294967296", "9007199254740993", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "1.0", "1.5", "-1.0", "1e2", "1e18", "1E-2", "3.4e38", "-2.5", "1e300", "0.1",
        "123456789.125", "\"1\"", "true", "null", "[]", "{}",
    ]

    static let numberCases: [DecodingCase] = numbers.flatMap { text in
        [
            DecodingCase(Int.self, text), DecodingCase(Int8.self, text), DecodingCase(Int16.self, text),
            DecodingCase(Int32.self, text), DecodingCase(Int64.self, text), DecodingCase(UInt.self, text),
            DecodingCase(UInt8.self, text), DecodingCase(UInt16.self, text), DecodingCase(UInt32.self, text),
            DecodingCase(UInt64.self, text), DecodingCase(Double.self, text), DecodingCase(Float.self, text),
            DecodingCase([Int?].self, "[1,\(text)]"), DecodingCase(Ratio.self, "{\"value\":\(text)}"),
        ]
    }

    static let wideCases: [DecodingCase] = ["0", "-1", "18446744073709551615", "-9223372036854775808", "1.5"].flatMap {
        [DecodingCase([Int128].self, "[\($0)]"), DecodingCase([String: UInt128].self, "{\"a\":\($0)}")]
            + [DecodingCase(Int128.self, $0), DecodingCase(UInt128.self, $0)]
    }

    @Test(arguments: numberCases + wideCases) func agreesOnNumbers(_ item: DecodingCase) {
        expectAgreement(item, .init(), JSONDecoder())
    }

    static let snakeCases: [DecodingCase] = [
        DecodingCase(Snake.self, #"{"user_name":"a","home_url":"u:b","nested_thing":{"inner_key":1}}"#),
        DecodingCase(Snake.self, #"{"userName":"a","extra_info":{"some_key":1}}"#),
        DecodingCase(Snake.self, #"{"user_name":"a","home_u_r_l":"u:b"}"#),
        DecodingCase(Snake.self, #"{"user_name":"a","_private":2}"#),
        DecodingCase(Snake.self, #"{"user__name":"a"}"#),
        DecodingCase(Snake.self, #"{"USER_NAME":"a"}"#),
        DecodingCase(Snake.self, #"{"_user_name":"a"}"#),
        DecodingCase(Snake.self, #"{"user_name":"a","extra_info":{"some_key":"x"}}"#),
        DecodingCase(Snake.self, #"{"user_name":"a","extra_info":[]}"#),
        DecodingCase(Snake.self, #"{"user_name":"a","extra_info":null}"#),
        DecodingCase([String: Snake.Nested].self, #"{"key_one":{"inner_key":1}}"#),
        DecodingCase([String: [String: Int]].self, #"{"key_one":{"inner_key":1}}"#),
        DecodingCase([Int: String].self, #"{"1":"a"}"#),
    ]

    @Test(arguments: snakeCases) func agreesOnSnakeCase(_ item: DecodingCase) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        expectAgreement(item, .init(keys: .snakeCase), decoder)
    }

    static let snakeKeys = [
        "", "_", "__", "a", "_a", "a_", "__a__", "a_b", "a__b", "_a_b_", "aB", "aB_c", "AB_cD", "one_two_three",
        "a_1b", "a_1B", "x_y1z", "é_école", "a_ß", "a_ǆ", "a_b-c", "a_b.c", "a_it's", "URL_path", "_URL", "a_\u{301}b",
        "someURLName", "someURL", "URLName", "myProperty", "aBC", "ABc", "A", "aA", "aAA", "aAb1C", "ÉcoleÉté", "x1Y2",
    ]

    @Test(arguments: snakeKeys) func convertsKeysAsFoundationDoes(_ key: String) throws {
        let object = JSON.object([(key, 1)])
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let theirs = try decoder.decode(KeyList.self, from: Data(object.description.utf8))
        #expect(try object.decode(KeyList.self, options: .init(keys: .snakeCase)) == theirs)

        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let encoded = try JSON(parsing: encoder.encode(KeyList(names: [key])))
        #expect(try JSON(encoding: KeyList(names: [key]), options: .init(keys: .snakeCase)) == encoded)
    }

    static let dates: [DecodingCase] = [
        "\"2026-01-31T23:59:59Z\"", "\"2026-01-31T23:59:59+02:00\"", "\"2026-01-31\"", "\"2026-01-31T23:59:59.5Z\"",
        "\"2026-13-31T23:59:59Z\"", "\"\"", "\"99999999999999-01-01T00:00:00Z\"", "\"0001-01-01T00:00:00Z\"",
        "0", "-1.5", "1700000000", "null", "[]", "\"1\"", "true",
    ].map { DecodingCase(Moment.self, "{\"at\":\($0)}") }

    @Test(arguments: dates) func agreesOnDates(_ item: DecodingCase) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        expectAgreement(item, .init(dates: .iso8601), decoder)
        decoder.dateDecodingStrategy = .secondsSince1970
        expectAgreement(item, .init(dates: .secondsSince1970), decoder)
        decoder.dateDecodingStrategy = .millisecondsSince1970
        expectAgreement(item, .init(dates: .millisecondsSince1970), decoder)
        decoder.dateDecodingStrategy = .deferredToDate
        expectAgreement(item, .init(dates: .deferred), decoder)
    }

    static let blobs: [DecodingCase] = ["[1,2,255]", "[1,256]", "\"AQID\"", "[null]", "null"].map {
        DecodingCase(Blob.self, "{\"data\":\($0)}")
    }

    @Test(arguments: blobs) func agreesOnDeferredData(_ item: DecodingCase) {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .deferredToData
        var options = JSON.CodingOptions()
        options.data = .deferred
        expectAgreement(item, options, decoder)
    }

    static let ratios: [DecodingCase] = ["\"inf\"", "\"-inf\"", "\"nan\"", "\"NaN\"", "1", "null", "\"1\""].flatMap {
        [DecodingCase(Ratio.self, "{\"value\":\($0)}"), DecodingCase(SmallRatio.self, "{\"value\":\($0)}")]
    }

    @Test(arguments: ratios) func agreesOnNonConformingFloats(_ item: DecodingCase) {
        let decoder = JSONDecoder()
        expectAgreement(item, .init(), decoder)
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        var options = JSON.CodingOptions()
        options.nonConformingFloats = .convert(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        expectAgreement(item, options, decoder)
    }

    /// Objects on both sides of the size at which members are found by sorting, asked in and out of order.
    @Test(arguments: [10, 63, 64, 65, 300], [false, true]) func findsMembersOfLargeObjects(
        _ count: Int, _ isSnake: Bool
    ) {
        let members = (0..<count).map { "\"key_\($0 * 11 % count)\":\($0)" }
        let text = "{\(members.joined(separator: ",")),\"key_last\":{\"key_1\":true}}"
        let decoder = JSONDecoder()
        if isSnake { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        let options = JSON.CodingOptions(keys: isSnake ? .snakeCase : .asIs)
        expectAgreement(DecodingCase(Scattered.self, text), options, decoder)
        expectAgreement(DecodingCase(Backward.self, text), options, decoder)
    }

    @Test func handsOverUserInfo() throws {
        let key = try #require(CodingUserInfoKey.unit)
        let value = try JSON(parsing: "[7]").decode([Measured].self, options: .init(userInfo: [key: "cm"]))
        #expect(value.map(\.text) == ["7 cm"])
    }
}

private func expectAgreement(
    _ item: DecodingCase, _ options: JSON.CodingOptions, _ decoder: JSONDecoder,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let ours = item.ours(options)
    let theirs = item.theirs(decoder)
    #expect(ours.agrees(with: theirs), "ours: \(ours), Foundation's: \(theirs)", sourceLocation: sourceLocation)
}

/// All keys of an object, sorted; encodes each with the value 1.
struct KeyList: Codable, Hashable {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var names: [String]

    init(names: [String]) { self.names = names }

    init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue).sorted()
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for name in names { try container.encode(1, forKey: Key(stringValue: name)) }
    }
}
