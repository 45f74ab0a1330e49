import Foundation
import TestSupport
import Testing

@testable import PatchbayJSON

/// Numbers of more digits than a Double has, as Foundation's coders read and write them.
@Suite struct DecimalTests {
    static let texts = [
        "0.1", "-12.75", "123456789012345", "0.123456789012345", "1234567890.123456", "0.30000000000000003",
        "-65.613616999999977", "1.0000000000000001", "9007199254740993.0", "9999999999999999.999",
        "0.0000001000000000000001",
        "-9223372036854775809", "18446744073709551616", "12345678901234567890.123456789",
        "99999999999999999999999999999999999999",
        "0.12345678901234567890123456789012345678", "-1234567890123456789e3", "1.234567890123456789E-30",
        "1.000000000000000000000000000000", "123456789012345678901234567890123456789012345678901234567890",
    ]

    /// At the top, and where each parser of this build reads it: simdjson is not asked for short texts.
    static func documents(_ number: String) -> [(text: String, path: [String])] {
        let long = String(repeating: "x", count: 300)
        return [
            (number, []), (#"{"a":\#(number)}"#, ["a"]),
            (#"{"\#(long)":["1234567890123456",1.5],"a":\#(number)}"#, ["a"]),
            (#"{"a":\#(number),"b":"\#(long)"}"#, ["a"]),
            (#"{"\#(long)":{"b":"x","a": \#(number) },"c":[0.1]}"#, [long, "a"]),
        ]
    }

    @Test("A Decimal is decoded with the digits that Foundation's decoder gives it", arguments: texts)
    func decodes(_ number: String) throws {
        let expected = try JSONDecoder().decode(Decimal.self, from: Data(number.utf8))
        for (text, path) in Self.documents(number) {
            let plain = try Array(text.utf8).withUnsafeBytes { bytes throws(JSON.ParseFailure) in
                try JSON(plainlyParsing: bytes, options: .init())
            }
            for json in [try JSON(document: text), plain] {
                let value = try #require(path.reduce(Optional(json)) { $0?[$1] })
                #expect(try value.decode(Decimal.self) == expected, "\(text)")
                #expect(value.decimal == expected)
                #expect(value.double == Double(number))
            }
        }
    }

    @Test("A Decimal is encoded with all of its digits", arguments: texts)
    func encodes(_ number: String) throws {
        let decimal = try #require(Decimal(string: number))
        let text = try JSON(encoding: ["a": decimal]).description
        let theirs = try JSONEncoder().encode(["a": decimal])
        #expect(try JSONDecoder().decode([String: Decimal].self, from: Data(text.utf8)) == ["a": decimal])
        #expect(try JSON(document: text).decode([String: Decimal].self) == ["a": decimal])
        #expect(try JSON(document: theirs).decode([String: Decimal].self) == ["a": decimal])
    }

    @Test("The digits stay where values are taken out, put together, copied and written again")
    func stay() throws {
        let numbers = "0.30000000000000003,12345678901234567890.123456789,-65.613616999999977"
        let filler = String(repeating: "f", count: 300)
        let source = try JSON(document: #"{"gone":1,"x":[\#(numbers),null],"s":"\#(filler)","gone":2,"y":"end"}"#)
        let list = try #require(source["x"])
        #expect(list.description == "[\(numbers),null]")
        #expect(JSON.object([("a", list), ("b", "text")]).description == #"{"a":[\#(numbers),null],"b":"text"}"#)
        #expect(list.removingNulls(.keysAndElements).description == "[\(numbers)]")
        #expect(source.description.contains("\"x\":[\(numbers),null]"))
        #expect(try JSON(encoding: ["v": list]).description == #"{"v":[\#(numbers),null]}"#)
    }

    @Test("A number whose text is longer than 255 bytes has the digits of its Double")
    func longest() throws {
        for length in [254, 255, 256, 300] {
            let text = "0." + String(repeating: "3", count: length - 2)
            for document in [text, "[\(text),\"\(String(repeating: "x", count: 300))\"]"] {
                let json = try JSON(document: document)
                let value = json[0] ?? json
                #expect(value.description == (length <= 255 ? text : "0.3333333333333333"))
                #expect(value.double == Double(text))
            }
        }
    }

    @Test("A number that is the only long one is found wherever it stands", arguments: texts + ["1234567890123456e5"])
    func alone(_ number: String) {
        let filler = String(repeating: "x", count: 300)
        for start in [0...16, 240...264, 4_080...4_104].joined() {
            ParserAgreementTests.expectAgreement(
                Array("[\(String(repeating: " ", count: start))\(number),\"\(filler)\"]".utf8))
        }
    }

    @Test("A number is written again as it was where its exponent makes it longer or shorter")
    func exponents() throws {
        let numbers = "[1.2345678901234567e1,12345678901234567E-2,-1.2345678901234567e+1]"
        for text in [numbers, numbers.dropLast() + ",\"\(String(repeating: "x", count: 300))\"]"] {
            #expect(try JSON(document: String(text)).description == text)
        }
    }

    @Test("The digits outlive the bytes that were parsed")
    func outlive() throws {
        let text = Array("[\"\(String(repeating: "x", count: 300))\",0.30000000000000003,1.5]".utf8)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 16)
        bytes.copyBytes(from: text)
        let json = try JSON(document: UnsafeRawBufferPointer(bytes))
        bytes.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "9"))
        bytes.deallocate()
        #expect(json[1]?.decimal == Decimal(string: "0.30000000000000003"))
        #expect(json[1]?.description == "0.30000000000000003")
        #expect(json[2]?.description == "1.5")
    }

    @Test("Many tasks may be the first to ask for digits", .timeLimit(.minutes(5)))
    func shared() async throws {
        let numbers = (0..<2000).map { "\($0).12345678901234567" }
        let text = "[" + numbers.joined(separator: ",\"between\",") + "]"
        for _ in 0..<20 {
            let json = try JSON(document: text)
            await withTaskGroup(of: Bool.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        stride(from: task, to: numbers.count, by: 97).allSatisfy { index in
                            json[2 * index]?.description == numbers[index]
                        }
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test("The digits stay where members are dropped from a large document", arguments: [1, 40, 5_000])
    func stayInLarge(_ count: Int) throws {
        let items = (0..<count).map {
            #"{"n":null,"a":\#($0).30000000000000003,"a":\#($0).10000000000000001,"b":[1.5]}"#
        }
        let json = try JSON(document: "[\(items.joined(separator: ",")),\"\(String(repeating: "x", count: 300))\"]")
        let other = json.removingNulls(.keys)
        for index in [0, count / 2, count - 1] {
            #expect(json[index]?.description == #"{"n":null,"a":\#(index).10000000000000001,"b":[1.5]}"#)
            #expect(other[index]?.description == #"{"a":\#(index).10000000000000001,"b":[1.5]}"#)
        }
    }

    @Test(
        "A number too long to be kept is so at every place before other text",
        arguments: [250, 254, 255, 256, 300, 600])
    func tooLong(_ length: Int) {
        let number = "0." + String(repeating: "3", count: length - 2)
        for start in [3_400...3_420, 3_590...3_610, 3_840...3_850, 4_080...4_110].joined() {
            let head = "[\(String(repeating: " ", count: start))0.30000000000000003,"
            ParserAgreementTests.expectAgreement(Array("\(head)\(number)]".utf8))
            ParserAgreementTests.expectAgreement(
                Array("\(head)\(number),\"\(String(repeating: "x", count: 9_000))\"]".utf8))
        }
    }

    @Test("The digits do not count where the size of a document is limited")
    func size() throws {
        let filler = String(repeating: "x", count: 300)
        let text = "[0.30000000000000003,12345678901234567890.5,1.2345678901234567e1,\"\(filler)\"]"
        let size = 16 + 16 + 3 * 16 + 8 + 305
        for limit in [size - 1, size] {
            ParserAgreementTests.expectAgreement(Array(text.utf8), .init(maximumSize: limit))
        }
        #expect(try JSON(document: text, options: .init(maximumSize: size)).description == text)
        #expect(throws: JSON.ParseFailure.self) { try JSON(document: text, options: .init(maximumSize: size - 1)) }
    }

    @Test("Both parsers keep the same digits of numbers of every length and exponent")
    func agreement() throws {
        var random = SplitMix(seed: 12)
        var numbers: [String] = []
        for _ in 0..<TestLength.count(2_000, of: 20_000, "numbers of every length") {
            var text = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                "\(Int.random(in: 0...9, using: &random))"
            }.joined()
            text = text.first == "0" ? "0." + text : text
            if !text.contains("."), text.count > 1, Bool.random(using: &random) {
                let place = Int.random(in: 1..<text.count, using: &random)
                text.insert(".", at: text.index(text.startIndex, offsetBy: place))
            }
            if Int.random(in: 0..<3, using: &random) == 0 { text += "e\(Int.random(in: -60...60, using: &random))" }
            numbers.append((Bool.random(using: &random) ? "-" : "") + text)
        }
        let document = Array(("[\"a\"," + numbers.joined(separator: ", \"long enough\",") + ",\"z\"]").utf8)
        ParserAgreementTests.expectAgreement(document)
        let items = try #require(try JSON(document: document).array)
        for (index, number) in numbers.enumerated() {
            let value = try #require(items[1 + 2 * index].decimal)
            #expect(value == Decimal(string: number), "\(number)")
        }
    }

    @Test("A Float is the nearest to the written digits, also beside the middle between two Floats")
    func floats() throws {
        var texts = ["16777217.0000000001", "16777217", "16777217.0", "1.00000017881393432617187499", "7.1e-46"]
        var random = SplitMix(seed: 13)
        for _ in 0..<TestLength.count(1_000, of: 10_000, "Floats beside a middle") {
            let low =
                Float(sign: .plus, exponent: Int.random(in: -20...40, using: &random), significand: 1)
                + Float.random(in: 0..<1, using: &random)
            let middle = (Double(low) + Double(low.nextUp)) / 2
            // All its digits.
            var exact = String(format: "%.90f", middle)
            while exact.last == "0" { exact.removeLast() }
            if exact.last == "." { exact += "0" }
            texts += [exact, exact + "1"]
            // A hair below the middle.
            if let last = exact.last?.wholeNumberValue, last > 0 { texts.append(exact.dropLast() + "\(last - 1)9") }
        }
        let document = Array(("[" + texts.joined(separator: ",") + "]").utf8)
        let floats = try JSON(document: document).decode([Float].self)
        for (text, float) in zip(texts, floats) { #expect(float == Float(text), "\(text)") }
    }
}
