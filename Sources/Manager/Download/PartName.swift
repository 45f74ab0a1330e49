/// What a `.part` file is called: hidden, beside its file, and known by its name alone, since not every file system has more.
///
/// `.NAME.patchbay-DIGITS.part` while it is written, and `.NAME.patchbay-DIGITS.resumable.part` when a resumption is good for it.
/// So what has the first form and is not locked was left by a process that is no more.
enum PartName {
    private static let digits = 13
    private static let ending = ".part"
    private static let keptEnding = ".resumable.part"

    /// The name of a new part.
    static func new(of name: String) -> String {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        return beginning(name) + String(repeating: "0", count: digits - number.utf8.count) + number + ending
    }

    /// The name of a part that is kept.
    static func kept(_ part: String) -> String {
        isKept(part) ? part : String(part.dropLast(ending.utf8.count)) + keptEnding
    }

    static func isKept(_ part: String) -> Bool { part.utf8.reversed().starts(with: keptEnding.utf8.reversed()) }

    /// Whether the bytes are the name of a part of this file that nobody kept.
    static func isOpen(_ part: some Collection<UInt8>, of name: String) -> Bool {
        let beginning = beginning(name).utf8
        guard part.starts(with: beginning), part.count == beginning.count + digits + ending.utf8.count else {
            return false
        }
        let rest = part.dropFirst(beginning.count)
        return rest.dropFirst(digits).elementsEqual(ending.utf8)
            && rest.prefix(digits).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// Whether a name that comes from elsewhere is that of a part.
    static func isOne(_ part: String) -> Bool {
        part.utf8.first == 0x2E && part.utf8.reversed().starts(with: ending.utf8.reversed())
            && !part.utf8.contains { $0 == 0 || $0 == 0x2F }
    }

    /// With so much of the file's name that 255 bytes are enough for all.
    private static func beginning(_ name: String) -> String {
        var text = name[...]
        while text.utf8.count > 200 { text.unicodeScalars.removeLast() }
        return ".\(text).patchbay-"
    }
}
