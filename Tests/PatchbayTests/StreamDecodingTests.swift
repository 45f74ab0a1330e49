import Foundation
import Patchbay
import PatchbayPlatform
import PatchbayTesting
import TestSupport
import Testing

/// Elements whose `init(from:)` asks the stream that they come from, in child processes: a lock that is taken twice ends the process.
@Suite("An element may ask its stream while it is decoded", .timeLimit(.minutes(5)))
struct StreamDecodingTests {
    fileprivate struct Asking: Decodable, Sendable {
        static let ask = Guarded<(@Sendable (Int) -> Void)?>(nil)
        let id: Int

        private enum Key: CodingKey { case id }

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .id)
            #if DEBUG
                precondition(HeldLocks.count == 0, "an element is decoded with a lock held")
            #endif
            Self.ask.withLock { $0 }?(id)
        }
    }

    enum Question: String, CaseIterable, Codable, Sendable {
        case head, decision, trailers, skippedElements, description, task, iterator, anotherLoop, anotherCall
        case cancelsTheCall, cancelsTheTask

        fileprivate func ask(_ stream: ResponseStream<Asking>, _ manager: SessionManager) {
            switch self {
            case .head: precondition(stream.head.status == 200)
            case .decision: precondition(stream.decision.head.status == 200)
            case .trailers: precondition(stream.trailers.map(\.isEmpty) ?? true)
            case .skippedElements: precondition(stream.skippedElements == 0)
            case .description: precondition("\(stream) \(stream.makeAsyncIterator())".contains("200"))
            case .task: precondition(stream.task.kind == .stream)
            case .iterator: _ = stream.makeAsyncIterator()
            case .anotherLoop:
                let code = Self.wait {
                    do throws(SessionError) {
                        for try await _ in stream {}
                        return SessionError.Code?.none
                    } catch {
                        return error.code
                    }
                }
                precondition(code == .alreadyRead)
            case .anotherCall:
                let value = Self.wait { try? await manager.get("other", as: Int.self) }
                precondition(value == 7)
            case .cancelsTheCall: stream.task.cancel()
            case .cancelsTheTask: withUnsafeCurrentTask { $0?.cancel() }
            }
        }

        /// Waits in the middle of a function that is not async, as code of a caller's might.
        private static func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value?) -> Value? {
            let (isDone, value) = (DispatchSemaphore(value: 0), Shared<Value?>(nil))
            Thread.detachNewThread {
                Task.detached {
                    let made = await work()
                    value.withLock { $0 = made }
                    isDone.signal()
                }
            }
            isDone.wait()
            return value.withLock { $0 }
        }
    }

    private static let framings: [(type: String, body: String)] = [
        ("application/x-ndjson", "{\"id\":1}\n{\"id\":2}\n"),
        ("text/event-stream", "data: {\"id\":1}\n\ndata: {\"id\":2}\n\n"),
        ("application/json", #"[{"id":1},{"id":2}]"#),
        ("application/json-seq", "\u{1E}{\"id\":1}\n\u{1E}{\"id\":2}\n"),
    ]

    @Test("Whatever it asks, in every framing", arguments: Question.allCases)
    func questions(_ question: Question) async {
        await #expect(processExitsWith: .success) { [question] in
            for framing in StreamDecodingTests.framings {
                let manager = SessionManager(
                    baseURL: URL(string: "http://origin.test/"), registry: .standard,
                    transport: StubTransport { request in
                        guard request.head.url.path() != "/other" else {
                            return StubReply(fields: ["Content-Type": "application/json"], body: "7")
                        }
                        return StubReply(fields: ["Content-Type": framing.type], body: framing.body)
                    })
                let (ids, code) = await Task { () async -> ([Int], SessionError.Code?) in
                    var ids: [Int] = []
                    do throws(SessionError) {
                        let stream = try await manager.stream("a", of: Asking.self)
                        Asking.ask.withLock { $0 = { id in if id == 1 { question.ask(stream, manager) } } }
                        for try await element in stream { ids.append(element.id) }
                        return (ids, nil)
                    } catch {
                        return (ids, error.code)
                    }
                }.value
                switch question {
                case .cancelsTheTask:
                    #expect(ids.isEmpty, "\(framing)")
                    #expect(code == .cancelled, "\(framing)")
                case .cancelsTheCall:
                    // The call may have been over.
                    #expect(code == nil || code == .cancelled, "\(framing)")
                    #expect(ids.first == 1, "\(framing)")
                default:
                    #expect(ids == [1, 2], "\(framing)")
                    #expect(code == nil, "\(framing)")
                }
            }
        }
    }
}
