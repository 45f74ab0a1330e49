import Foundation

/// What the command line asks for; scripts/bench writes it.
struct Arguments {
    var isQuick = false
    var markdown: URL?
    var json: URL?
    /// Where nginx serves the files of `work`; nil leaves the network out.
    var origin: URL?
    /// The process of nginx that answers.
    var server: Int32?
    /// A folder for files.
    var work = URL(fileURLWithPath: NSTemporaryDirectory())
    /// The folder of twitter.json, canada.json and citm_catalog.json.
    var corpora: URL?
    /// The one part to measure; nil measures all.
    var only: Part?
    /// A build of this program without traits, which measures JSON as well.
    var withoutTraits: String?
    /// The program `patchbay`, and one that does nothing.
    var program: String?
    var bare: String?
    /// How long a clean release build of the program took, in seconds.
    var cleanBuild: Double?

    enum Part: String, CaseIterable { case lookup, json, network, formats, streams, program }

    func measures(_ part: Part) -> Bool { only == nil || only == part }

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        while let word = words.next() {
            func value() throws -> String {
                guard let value = words.next() else { throw WorkFailure("\(word) needs a value") }
                return value
            }
            switch word {
            case "--quick": isQuick = true
            case "--only":
                guard let part = Part(rawValue: try value()) else {
                    throw WorkFailure("--only takes one of \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                only = part
            case "--markdown": markdown = URL(fileURLWithPath: try value())
            case "--json": json = URL(fileURLWithPath: try value())
            case "--origin": origin = URL(string: try value())
            case "--server": server = Int32(try value())
            case "--work": work = URL(fileURLWithPath: try value(), isDirectory: true)
            case "--corpora": corpora = URL(fileURLWithPath: try value(), isDirectory: true)
            case "--without-traits": withoutTraits = try value()
            case "--program": program = try value()
            case "--bare": bare = try value()
            case "--clean-build": cleanBuild = Double(try value())
            default: throw WorkFailure("\(word) is no option: run scripts/bench")
            }
        }
    }
}
