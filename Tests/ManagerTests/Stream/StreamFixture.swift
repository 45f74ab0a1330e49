import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport

@testable import PatchbayManager

/// A stream over a transport whose exchanges the test plays, read by serializers of the tests' own.
enum StreamFixture {
    /// What stands before a full stop.
    struct Sentence: Sendable, Equatable, ExpressibleByStringLiteral {
        let text: String
        init(stringLiteral text: String) { self.text = text }
    }

    struct Shout: Error, Equatable {}

    /// Sentences end with a full stop; one with `!` in it is none, and `THE END` ends them all.
    struct Sentences: StreamingSerializer {
        struct Parser: ElementParser {
            let limit: Int
            var rest: [UInt8] = []
            var isFinished = false

            mutating func parse(_ bytes: Span<UInt8>, emit: (Sentence) throws -> Void) throws {
                for index in bytes.indices where !isFinished {
                    guard bytes[index] != UInt8(ascii: ".") else {
                        try end(emit)
                        continue
                    }
                    guard rest.count < limit else { throw ElementLimitFailure(limit: limit) }
                    rest.append(bytes[index])
                }
            }

            mutating func finish(emit: (Sentence) throws -> Void) throws {
                if !rest.isEmpty { throw Shout() }
            }

            private mutating func end(_ emit: (Sentence) throws -> Void) throws {
                defer { rest = [] }
                let text = String(decoding: rest, as: UTF8.self)
                guard text != "THE END" else {
                    isFinished = true
                    return
                }
                guard !text.contains("!") else { throw Shout() }
                try emit(Sentence(stringLiteral: text))
            }
        }

        func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser { Parser(limit: maximumElementBytes) }
    }

    /// The whole body as one sentence.
    struct Whole: ResponseSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Sentence {
            Sentence(stringLiteral: String(decoding: body.data, as: UTF8.self))
        }
    }

    /// Sentences with a number in front that a stream of them can be asked for again from, as in `7=One.`; `~20.` is none, but says to
    /// wait for 20 ms before.
    struct Notes: StreamingSerializer {
        struct Parser: ResumableElementParser {
            var sentences: Sentences.Parser
            var lastEventID = ""
            var reconnectionTime: Duration?
            var position: StreamPosition?
            var count = 0
            var isFinished: Bool { sentences.isFinished }

            mutating func parse(_ bytes: Span<UInt8>, emit: (Sentence) throws -> Void) throws {
                try sentences.parse(bytes) { sentence in
                    if sentence.text.hasPrefix("~") {
                        let time = Duration.milliseconds(Int(sentence.text.dropFirst()) ?? 0)
                        reconnectionTime = time
                        position?.pass(time)
                        return
                    }
                    let parts = sentence.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    count += 1
                    if parts.count == 2 {
                        lastEventID = String(parts[0])
                        position?.pass(lastEventID, behind: count)
                    }
                    try emit(Sentence(stringLiteral: String(parts[parts.count - 1])))
                }
            }

            mutating func finish(emit: (Sentence) throws -> Void) {}
        }

        func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser {
            Parser(sentences: Sentences.Parser(limit: maximumElementBytes))
        }
    }

    static func registry(_ policy: String = "{}") throws -> SerializerRegistry {
        var factories = TestRegistry.factories
        try factories.register("sentences") { Sentences() }
        try factories.register("notes") { Notes() }
        try factories.register("whole") { Whole() }
        let plugins = """
            [{ "id": "sentences", "factory": "sentences", "match": { "types": ["text/sentences"] },
               "limits": { "maxBodyBytes": 20 } },
             { "id": "notes", "factory": "notes", "match": { "types": ["text/notes"] } },
             { "id": "other-notes", "factory": "notes", "match": { "types": ["text/other-notes"] } },
             { "id": "whole", "factory": "whole", "match": { "types": ["text/whole"] }, "limits": { "maxBodyBytes": 20 } },
             { "id": "json", "factory": "json", "match": { "types": ["@json"] } }]
            """
        let text = #"{ "manifestVersion": 1, "policy": \#(policy), "plugins": \#(plugins) }"#
        return try SerializerRegistry(sources: [.text(text, name: "test.json")], factories: factories)
    }

    static func manager(
        _ configuration: SessionConfiguration = SessionConfiguration(), policy: String = "{}",
        _ play:
            @escaping @Sendable (Int, TransportRequest, any ExchangeReceiver) async throws(TransportFailure) -> Void
    ) throws -> SessionManager {
        SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try registry(policy),
            transport: PlayedTransport(play), configuration: configuration)
    }

    static func stub(
        _ configuration: SessionConfiguration = SessionConfiguration(),
        _ reply: @escaping @Sendable (TransportRequest) throws -> StubReply
    ) throws -> SessionManager {
        SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try registry(),
            transport: StubTransport { try reply($0) }, configuration: configuration)
    }
}

extension StubReply {
    static func sentences(_ pieces: String..., failure: TransportFailure? = nil) -> StubReply {
        StubReply(
            fields: ["Content-Type": "text/sentences"], chunks: pieces.map { Data($0.utf8) }, failure: failure)
    }
}

extension ExchangeReceiver {
    /// Offers the head of sentences.
    @discardableResult
    func receiveHead(_ type: String = "text/sentences") -> TransportFlow {
        receive(status: 200, fields: ["Content-Type": type])
    }

    /// Offers a piece, again where it has to wait, until the exchange is stopped.
    func offer(_ text: String) async throws(TransportFailure) {
        let bytes = Array(text.utf8)
        while !stop.hasFired {
            switch bytes.withUnsafeBytes({ receive($0) }) {
            case .proceed: return
            case .stop: throw TransportFailure(.stopped, "the receiver stopped the exchange")
            case .wait(let signal): await signal.fired(unless: stop)
            }
        }
        throw TransportFailure(.stopped, "the exchange was stopped")
    }
}
