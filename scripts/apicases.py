"""Changes of a small library, and the sentences that scripts/api must print for each. Run before each comparison."""

import sys

import api

LIBRARY = """\
func combine(_ one: Int) -> Int
indirect enum Mode
    case fast
struct Reply<Value> where Value : Sendable
    : Equatable where Value : Equatable
    : Sendable
    func cancel(then done: @escaping (Value, Int) -> Void = { _, _ in }, path: String)
    func read(limit: Int = 1 << 4)
    func stop() throws(Failure)
    subscript(key: String) -> Value? { get }
    var name: String
struct Reply.Head
    let status: Int
protocol Serializer : Sendable
    extension func reason() -> String?
    func serialize() -> Int
    optional func reason() -> String?
    var limit: Int { get }
extension URL
    : Address
"""

CASES = [
    # Harmless changes.
    ("struct Reply.Head", "struct Added\nstruct Reply.Head\n    : Sendable\n    static let best: Int"),
    ("func stop", '@available(*, deprecated, renamed: "end") @discardableResult func stop'),
    ("limit: Int = 1 << 4", "limit: Int = max(1, f(2, 3))"),
    ("then done:", "then next:"),
    ("_ in }, path: String", '_ in }, path: String = ", = ("'),
    ("let status", "var status"),
    ("Value? { get }", "Value? { get set }"),
    ("    func serialize", "    optional func finish()\n    optional func serialize"),
    # Declarations that are gone.
    ("func combine(_ one: Int) -> Int\n", "", "`func combine(_ one: Int) -> Int` is gone"),
    ("indirect enum Mode\n    case fast\n", "", "`indirect enum Mode` is gone"),
    ("    : Sendable\n", "", "`Reply : Sendable` is gone"),
    ("    var name: String\n", "", "Reply: `var name: String` is gone"),
    ("extension URL\n    : Address\n", "", "`URL : Address` is gone"),
    # Declarations that are different.
    ("stop() throws(Failure)", "stop() throws", "Reply: `func stop() throws(Failure)` is now `func stop() throws`"),
    ("Int = 1 << 4", "Int", "Reply: `func read(limit: Int = 1 << 4)` is now `func read(limit: Int)`"),
    ("var name: String", "let name: String", "Reply: `var name: String` is now `let name: String`"),
    ("struct Reply.Head", "final class Reply.Head", "`struct Reply.Head` is now `final class Reply.Head`"),
    # Requirements and cases that other code lacks.
    ("    optional", "   ", "Serializer: `optional func reason() -> String?` is now `func reason() -> String?`"),
    ("Int { get }", "Int { get set }", "Serializer: `var limit: Int { get }` is now `var limit: Int { get set }`"),
    ("    func serialize", "    func finish()\n    func serialize", "Serializer: `func finish()` is a new requirement"),
    ("    case fast", "    case fast\n    case slow", "Mode: `case slow` is a new case"),
]

faults, old = 0, api.parsed(LIBRARY)
for before, after, *sentences in CASES:
    assert LIBRARY.count(before) == 1, before
    new = api.parsed(LIBRARY.replace(before, after))
    found = api.breakages(old, new)
    # --renew leaves the lines of a breakage, and writes all others.
    if [item[0] for item in found] != sentences or api.renewed(new, found) != (old if sentences else new):
        faults += 1
        print(f"api: {before!r} becoming {after!r} is to be {sentences}, and is {found}")
sys.exit(faults > 0)
