"""Changes of a small library, and what scripts/api must say of each. Run before each comparison: what the toolchain's digester sees
is its own affair, and may change with it."""

import sys

import apilines

LIBRARY = """\
func combine(_ one: Reply<Int>, with other: Reply<Int>) -> Reply<Int>
typealias Pairs = KeyValuePairs<String, (any Encodable)?>
enum Mode
    case fast
    case slow(Int)
    static let usual: Mode
struct Reply<Value> where Value : Sendable
    : Equatable where Value : Equatable
    : Sendable
    func decode<Other>(as type: Other.Type, depth: Int = 1 << 4) async throws(Failure) -> Other where Other : Sendable
    func reason(_ head: Reply<Int>.Head) -> String?
    init(_ value: Value, done: @escaping @Sendable (Value) -> Void = { _ in })
    subscript(key: String) -> Value? { get }
    var name: String
struct Reply.Head
    let status: Int
protocol Serializer<Output> : Sendable
    associatedtype Output : Sendable
    extension func reason(_ head: Reply<Int>.Head) -> String?
    func serialize(_ text: String) throws -> Self.Output
    optional func reason(_ head: Reply<Int>.Head) -> String?
extension URL
    : Address
"""

# What is put for what, and the sentences; none where it breaks nothing.
DECODE = "Func Reply.decode(as:depth:)"
CASES = [
    ("    var name: String\n", "", ["Var Reply.name has been removed"]),
    ("func decode<", "func decoded<", [f"{DECODE} has been renamed to Func decoded(as:depth:)"]),
    ("as type: Other.Type", "as type: Other", [f"{DECODE} has parameter 0 type change from Other.Type to Other"]),
    ("depth: Int = 1 << 4", "depth: Int", [f"{DECODE} has removed default argument from parameter 1"]),
    ("depth: Int = 1 << 4", "depth: Int = 1 << 5", []),
    (
        "async throws(Failure)",
        "throws(Failure)",
        [f"{DECODE} has return type change from async throws(Failure) -> Other to throws(Failure) -> Other"],
    ),
    (
        "throws(Failure)",
        "throws",
        [f"{DECODE} has return type change from async throws(Failure) -> Other to async throws -> Other"],
    ),
    (
        "    func decode",
        "    @MainActor func decode",
        [
            f"{DECODE} has return type change from async throws(Failure) -> Other"
            " to @MainActor async throws(Failure) -> Other"
        ],
    ),
    (
        "Other : Sendable",
        "Other : Decodable",
        [f"{DECODE} has generic signature change from <Other> where Other : Sendable to <Other> where Other : Decodable"],
    ),
    ("    func decode", "    @discardableResult func decode", []),
    ("    func decode", "    @available(*, deprecated) func decode", []),
    ("    func decode", "    static func decode", [f"{DECODE} is now static"]),
    (
        "@escaping @Sendable (Value)",
        "@escaping (Value)",
        [
            "Constructor Reply.init(_:done:) has parameter 1 type change from @escaping @Sendable (Value) -> Void"
            " to @escaping (Value) -> Void"
        ],
    ),
    ("    init(_ value", "    init?(_ value", ["Constructor Reply.init(_:done:) has return type change from Reply to Reply?"]),
    ("var name: String", "var name: String { get }", ["Accessor Reply.name.Set() has been removed"]),
    ("var name: String", "let name: String", ["Accessor Reply.name.Set() has been removed"]),
    ("let status: Int", "var status: Int", []),
    ("Value? { get }", "Value { get }", ["Subscript Reply.subscript(key:) has return type change from Value? to Value"]),
    ("    : Sendable\n    func", "    func", ["Struct Reply has removed conformance to Sendable"]),
    ("    : Sendable\n    func", "    : Hashable\n    : Sendable\n    func", []),
    ("struct Reply.Head\n    let status: Int\n", "", ["Struct Reply.Head has been removed"]),
    ("struct Reply.Head", "final class Reply.Head", ["Struct Reply.Head has been changed to a Class"]),
    ("    case fast\n", "", ["EnumElement Mode.fast has been removed"]),
    ("    case fast\n", "    case fast\n    case faster\n", ["EnumElement Mode.faster has been added as a new enum case"]),
    ("    static let usual: Mode\n", "    static let usual: Mode\n    static let best: Mode\n", []),
    (
        "    func serialize",
        "    func finish()\n    func serialize",
        ["Func Serializer.finish() has been added as a protocol requirement"],
    ),
    ("    func serialize", "    optional func finish()\n    func serialize", []),
    ("    optional func reason", "    func reason", ["Requirement Serializer.reason(_:) has no default any more"]),
    (
        "Serializer<Output> : Sendable",
        "Serializer<Output> : Hashable, Sendable",
        ["Protocol Serializer has generic signature change from <Output> : Sendable to <Output> : Hashable, Sendable"],
    ),
    ("    : Address\n", "", ["Extension URL has removed conformance to Address"]),
    ("typealias Pairs = KeyValuePairs<String, (any Encodable)?>\n", "", ["TypeAlias Pairs has been removed"]),
    ("with other", "and other", ["Func combine(_:with:) has been renamed to Func combine(_:and:)"]),
    ("enum Mode\n", "struct Added\nenum Mode\n", []),
]


def main():
    faults = 0
    for one, other, wanted in CASES:
        assert LIBRARY.count(one) == 1, one
        found = apilines.breakages("Sample", LIBRARY.splitlines(), LIBRARY.replace(one, other).splitlines())
        if found != wanted:
            faults += 1
            print(f"api: {one.strip()!r} becoming {other.strip()!r} is to be {wanted}, and is {found}")
    # What the list allows stays as it was released, and everything else is written.
    old = LIBRARY.splitlines()
    new = LIBRARY.replace("    case fast\n", "    case faster\n").replace("status: Int", "status: UInt16").splitlines()
    kept = apilines.renewed("Sample", old, new, ["Var Reply.Head.status has declared type change from Int to UInt16"])
    if kept != LIBRARY.replace("    case fast\n", "    case faster\n").splitlines():
        faults += 1
        print(f"api: a renewal beside an allowed breakage gives {kept}")
    return faults


sys.exit(main() > 0)
