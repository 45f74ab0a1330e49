#if os(Linux)
    import Foundation
    import PatchbayRegistry
    import TestSupport
    import Testing

    /// Names beyond ASCII. The library maps those that need no tables; Foundation has all tables (UTS 46).
    @Suite("Names beyond ASCII, as URLs reach them", .timeLimit(.minutes(5))) struct HostMappingTests {
        /// Where a URL with the label leads; nil where Foundation refuses it.
        private func reached(_ label: String) -> String? {
            URL(string: "http://\(label).test/")?.host(percentEncoded: false)
        }

        /// How many of the labels have a name, and those whose name is not the one that a URL reaches.
        private func compare(_ labels: some Sequence<String>) -> (named: Int, wrong: [String]) {
            var named = 0
            var wrong: [String] = []
            for label in labels {
                guard let name = CanonicalHost("\(label).test")?.name else { continue }
                named += 1
                if let theirs = reached(label), theirs != name {
                    wrong.append("\(label.unicodeScalars.map { String($0.value, radix: 16) }) \(name) \(theirs)")
                }
            }
            return (named, wrong)
        }

        @Test(
            "every character that folding changes has the name that a URL with it reaches, or none; and some that it leaves"
        )
        func characters() {
            let labels = (0xA0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init).filter {
                ![.unassigned, .privateUse].contains($0.properties.generalCategory)
                    && ($0.properties.changesWhenNFKCCaseFolded || $0.value % 61 == 0)
            }.map { "a\($0)b" }
            let (named, wrong) = compare(labels)
            #expect(wrong == [])
            // Capital letters, and those of the others.
            #expect(named > 3_000)
        }

        /// What Foundation refuses for its version of Unicode alone, which is older than the standard library's, nobody is misled by.
        @Test("no character of a script that both know has a name where a URL with it leads nowhere")
        func refused() {
            var taken: [String] = []
            var names = 0
            // All of the scripts that run from right to left that are in use, and of the symbols that no host has; of the others some.
            let near: [ClosedRange<UInt32>] = [0x590...0x8FF, 0x2FF0...0x2FFF, 0x10D00...0x10D7F, 0xFFF0...0xFFFF]
            for value in (0xA0...0x1FFFF) as ClosedRange<UInt32>
            where value % 31 == 0 || near.contains(where: { $0.contains(value) }) {
                guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age <= (15, 0) else {
                    continue
                }
                // Quotes and braces of ASCII, which IDNA takes, stand in no URL.
                guard ![0xFF02, 0xFF40, 0xFF5B, 0xFF5D].contains(value) else { continue }
                for name in ["a\(scalar)b", "\u{5D0}\(scalar)\u{5D1}", "a\(scalar).\u{5D0}", "\(scalar).\u{5D0}"] {
                    guard CanonicalHost(name) != nil else { continue }
                    names += 1
                    guard URL(string: "http://\(name)/") == nil else { continue }
                    taken.append(name.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " "))
                }
            }
            #expect(names > 2_000)
            #expect(taken.prefix(20) == [])
        }

        @Test("every character with which a URL leads to a host has a name, and the same one")
        func reachedCharacters() {
            var unnamed: [String] = []
            var count = 0
            for value in (0xA0...0x10FFFF) as ClosedRange<UInt32> {
                guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenNFKCCaseFolded else { continue }
                let url = URLComponents(string: "http://a\(scalar)b.test/")
                // A percent sign that a character maps to is no escape.
                guard let reached = url?.encodedHost, !reached.contains("%") else { continue }
                count += 1
                if CanonicalHost("a\(scalar)b.test")?.name != reached { unnamed.append(String(value, radix: 16)) }
            }
            #expect(count > 5_000)
            #expect(unnamed == [])
        }

        @Test(
            "without tables a name that needs them is refused, and no other",
            arguments: [
                ("\u{1E9E}.de", "U+1E9E"), ("o\u{FB03}ce", "U+FB03"), ("a\u{AD}b", "U+00AD"),
                ("\u{915}\u{94D}\u{200D}\u{937}", "U+200D"), ("b\u{FC}cher.de", nil), ("\u{DF}", nil),
            ] as [(String, String?)])
        func withoutTables(_ host: String, _ number: String?) {
            let fault = HostName.fault(in: host, hasTables: false)
            #expect(fault?.number == number)
            #expect(fault?.reason == (number == nil ? nil : .unmapped))
            #expect(HostName.fault(in: host) == nil)
        }

        @Test("a name that is longer than a host can be is refused before it is mapped")
        func long() {
            let mark = "\u{AD}"
            #expect(CanonicalHost("a" + String(repeating: mark, count: 250) + "b.test")?.name == "ab.test")
            #expect(CanonicalHost("a" + String(repeating: mark, count: 100_000) + "b.test") == nil)
            #expect(CanonicalHost(String(repeating: "\u{1E9E}.", count: 100_000) + "test") == nil)
        }

        @Test("characters beside each other have the name that a URL with them reaches, or none")
        func sequences() {
            let ranges: [ClosedRange<UInt32>] = [
                0x61...0x7A, 0xC0...0x17F, 0x300...0x345, 0x370...0x3FF, 0x400...0x45F, 0x1100...0x11FF,
                0x1E00...0x1FFF,
                0x3041...0x30FF, 0xAC00...0xAC40, 0x915...0x94D, 0x200C...0x200D, 0xFB00...0xFB06, 0xFF21...0xFF5A,
            ]
            var random = SplitMix(seed: 1)
            let labels = (0..<5_000).map { _ in
                var label = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let range = ranges.randomElement(using: &random) ?? 0x61...0x61
                    if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { label.append(scalar) }
                }
                return String(label)
            }
            let (named, wrong) = compare(labels)
            #expect(wrong == [])
            #expect(named > 500)
        }
    }
#endif
