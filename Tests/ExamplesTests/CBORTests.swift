import Foundation
import Patchbay
import Testing

@testable import CBOR

/// The bytes of CBOR and its values: RFC 8949's own examples, and what is refused.
@Suite(.timeLimit(.minutes(5))) struct CBORTests {
    @Test(arguments: CBORVector.all) func readsExample(_ vector: CBORVector) throws {
        #expect(try CBORValue(parsing: Data(hex: vector.hex)) == vector.value)
    }

    @Test(arguments: CBORVector.all) func writesExample(_ vector: CBORVector) throws {
        let written = try CBORValue(parsing: Data(hex: vector.hex)).encoded()
        #expect((written.hex == vector.hex) == (vector.difference == nil), "\(written.hex)")
        // What is written is the same value, and written in the same way.
        let again = try CBORValue(parsing: written)
        #expect(again == vector.value)
        #expect(try again.encoded() == written)
    }

    @Test("The table has every example of appendix A, and marks those that JSON has no value for")
    func table() {
        #expect(Set(CBORVector.all.map(\.hex)).count == 81)
        #expect(CBORVector.all.count { $0.difference == nil } == 64)
        #expect(CBORVector.all.count { !$0.isJSON } == 22)
        for vector in CBORVector.all { #expect(vector.isJSON == Self.isJSON(vector.value), "\(vector)") }
    }

    private static func isJSON(_ value: CBORValue) -> Bool {
        switch value {
        case .unsigned, .negative, .text, .tagged(2, _), .tagged(3, _): true
        case .float(let number): number.isFinite
        case .simple(let number): (20...22).contains(number)
        case .array(let items): items.allSatisfy(isJSON)
        case .map(let map):
            map.allSatisfy { key, value in
                if case .text = key { isJSON(value) } else { false }
            }
        case .bytes, .tagged: false
        }
    }

    @Test(arguments: CBORFault.allCases) func refusesMalformed(_ fault: CBORFault) {
        for hex in fault.examples {
            // Its key 1 stands twice before its end is missed.
            let duplicate = hex == "bf01020102"
            expect(hex, duplicate ? .duplicateKey : fault.isTruncated ? .truncated : .malformed)
        }
    }

    @Test(arguments: CBORVector.all) func refusesEveryBeginning(_ vector: CBORVector) {
        let bytes = Data(hex: vector.hex)
        for count in bytes.indices { expect(bytes.prefix(count).hex, .truncated) }
    }

    @Test(
        "What a length announces is neither waited for nor taken as memory",
        arguments: ["5b", "7b", "9b", "bb", "8281009b"], ["8000000000000000", "7fffffffffffffff", "ffffffffffffffff"])
    func announcedLength(_ head: String, _ length: String) {
        expect(head + length, .truncated)
        expect(head + length + "000102", .truncated)
    }

    @Test(
        "Well-formed and not valid",
        arguments: [
            ("a201000100", .duplicateKey), ("bf6161006161f4ff", .duplicateKey),
            ("a2f97e0000fa7fc0000000", .duplicateKey),
            ("a2f9000000f9800000", .duplicateKey), ("a2811800f4810000", .duplicateKey),
            ("61ff", .encoding), ("62c3", .truncated), ("63eda080", .encoding), ("7f61c361bcff", .encoding),
            ("0000", .malformed), ("f6ff", .malformed),
        ] as [(String, FormatFailure.Code)])
    func invalid(_ hex: String, _ code: FormatFailure.Code) { expect(hex, code) }

    @Test("Two keys that only Swift's String calls equal are two keys") func keysAreBytes() throws {
        let map = try CBORValue(parsing: Data(hex: "a262c3bc006375cc8801"))
        #expect(map == .map([.text("\u{FC}"): 0, .text("u\u{308}"): 1]))
        #expect(try map.encoded().hex == "a262c3bc006375cc8801")
    }

    @Test(
        "128 items lie inside each other, and not one more",
        arguments: [("81", ""), ("9f", "ff"), ("c1", ""), ("a100", ""), ("bf00", "ff"), ("a1", "00")])
    func depth(_ open: String, _ close: String) throws {
        func nested(_ depth: Int) -> String {
            String(repeating: open, count: depth) + "00" + String(repeating: close, count: depth)
        }
        let deepest = try CBORValue(parsing: Data(hex: nested(127)))
        #expect(try CBORValue(parsing: deepest.encoded()) == deepest)
        expect(nested(128), .depth)
        expect(nested(100_000), .depth)
        #expect { try CBORValue.array([deepest]).encoded() } throws: { ($0 as? FormatFailure)?.code == .depth }
    }

    @Test(
        "Floats are written in the shortest way that keeps their bits",
        arguments: [
            (5.5, "f94580"), (5555.5, "fa45ad9c00"), (65505, "fa477fe100"), (65536, "fa47800000"),
            (0x1p-24, "f90001"), (0x1p-25, "fa33000000"), (0x1.ffcp-15, "fa387fe000"), (0x1.ff8p-15, "f903ff"),
            (0x1p-149, "fa00000001"), (0x1p-150, "fb3690000000000000"), (.leastNonzeroMagnitude, "fb0000000000000001"),
            (-0x1.fffffep127, "faff7fffff"), (0x1p128, "fb47f0000000000000"),
            (Double(bitPattern: 0x7FF0_0400_0000_0000), "f97c01"),
            (Double(bitPattern: 0xFFF8_0000_2000_0000), "faffc00001"),
            (Double(bitPattern: 0x7FF8_0000_0000_0001), "fb7ff8000000000001"),
        ])
    func shortestFloat(_ number: Double, _ hex: String) throws {
        #expect(try CBORValue.float(number).encoded().hex == hex)
        guard case .float(let read) = try CBORValue(parsing: Data(hex: hex)) else {
            Issue.record("\(hex) is no float")
            return
        }
        #expect(read.bitPattern == number.bitPattern)
    }

    @Test("Every half is read, and written as it was") func halves() throws {
        for bits in UInt64(0)...0xFFFF {
            let number = ShortFloat.half.double(bits)
            #expect(ShortFloat.half.bits(number) == bits)
            #expect(ShortFloat.single.bits(number).map { ShortFloat.single.double($0).bitPattern } == number.bitPattern)
        }
    }

    @Test(
        "A head is as short as its number allows",
        arguments: [
            (23, "17"), (24, "1818"), (255, "18ff"), (256, "190100"), (65_535, "19ffff"), (65_536, "1a00010000"),
            (4_294_967_295, "1affffffff"), (4_294_967_296, "1b0000000100000000"), (-24, "37"), (-25, "3818"),
            (.max, "1b7fffffffffffffff"), (.min, "3b7fffffffffffffff"),
        ] as [(Int64, String)])
    func shortestHead(_ number: Int64, _ hex: String) throws {
        #expect(try CBORValue.integer(number).encoded().hex == hex)
        #expect(try CBORValue(parsing: Data(hex: hex)).integer(Int64.self) == number)
    }

    @Test("Keys stand in the order of their bytes, as in the example of section 4.2.1") func orderOfKeys() throws {
        let map: CBORValue = [
            .bool(false): 0, [-1]: 0, [100]: 0, "aa": 0, "z": 0, -1: 0, 100: 0, 10: 0,
        ]
        #expect(
            try map.encoded().hex == "a8"
                + ["0a", "1864", "20", "617a", "626161", "811864", "8120", "f4", ""].joined(separator: "00"))
    }

    @Test(arguments: UInt8(24)...31) func hasNoSimpleValue(_ number: UInt8) {
        #expect { try CBORValue.array([.simple(number)]).encoded() } throws: {
            ($0 as? FormatFailure)?.code == .range
        }
    }

    @Test("Random bytes are refused, or are a value that is written and read again") func random() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = Data((0..<random.next(upperBound: 24 as UInt)).map { _ in random.next() as UInt8 })
            guard let value = try? CBORValue(parsing: bytes) else { continue }
            let written = try value.encoded()
            #expect(written.count <= bytes.count, "\(bytes.hex)")
            #expect(try CBORValue(parsing: written) == value, "\(bytes.hex)")
        }
    }

    /// That the bytes are refused, and why.
    private func expect(_ hex: String, _ code: FormatFailure.Code, _ location: SourceLocation = #_sourceLocation) {
        #expect("\(hex.prefix(40)) is refused", sourceLocation: location) {
            try CBORValue(parsing: Data(hex: hex))
        } throws: { error in
            (error as? FormatFailure)?.format == "cbor" && (error as? FormatFailure)?.code == code
        }
    }
}

extension CBORVector: CustomTestStringConvertible {
    var testDescription: String { [hex, diagnostic, difference?.rawValue].compactMap(\.self).joined(separator: ", ") }
}

extension CBORFault: CustomTestStringConvertible {
    var testDescription: String { rawValue }
}
