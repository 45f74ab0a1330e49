// Runs what is pinned, in order, and prints how often each allocates. Synchronous: valgrind 3.19 crashes on an asynchronous
// main. scripts/pins runs it under callgrind.
import Foundation
import Patchbay
import PatchbayTesting
import PinnedCounts
import Synchronization

func registry(entries: Int) throws -> SerializerRegistry {
    let plugins = (0..<entries).map { index in
        #"{"id":"entry-\#(index)","factory":"json","match":{"types":["application/x-type-\#(index)"]}}"#
    }
    let manifest = #"{"manifestVersion":1,"plugins":[\#(plugins.joined(separator: ","))]}"#
    return try SerializerRegistry(sources: [.text(manifest, name: "pins")], factories: .standard)
}

func decision(entries: Int) throws -> Pin {
    let url = URL(fileURLWithPath: "/")
    let head = ResponseHead(
        status: 200, fields: ["Content-Type": "application/x-type-\(entries - 1)"], url: url,
        request: RequestHead(url: url))
    let registry = try registry(entries: entries)
    return Pin(name: "decision, exact type, \(entries) entries") { keep(registry.decision(for: head)) }
}

@inline(never)
func keep<Value>(_ value: borrowing Value) {}

try decision(entries: 10).run()
try decision(entries: 1_000).run()
Pin(name: "parse application/json; charset=utf-8") { keep(MediaType(parsing: "application/json; charset=utf-8")) }.run()

struct Person: Codable, Sendable { let id: Int, name: String }

let finished = Atomic(0)

/// Runs a task, which counts itself in `finished`, to its end on this thread. The chunks of `transport` come when nothing else is
/// ready: with `Task.yield()` between them it would go on on another thread.
func complete(_ task: Task<Void, Never>, over transport: AnsweringTransport? = nil) {
    let before = finished.load(ordering: .relaxed)
    repeat {
        guard patchbay_run_jobs() > 0 else { fatalError("no job was held") }
    } while transport?.goOn() == true
    guard finished.load(ordering: .relaxed) == before + 1 else { fatalError("the work did not end") }
}

/// - Parameter body: what is sent; nil is a GET.
func smallRequest(
    _ name: String, _ scope: Pin.Scope, times: Int = 200, sending body: Person? = nil, over transport: some Transport,
    cache: ResponseCache? = nil, observers: [any SessionObserver] = []
) -> Pin {
    let manager = SessionManager(
        baseURL: URL(string: "http://api.example"), registry: .standard, transport: transport,
        configuration: SessionConfiguration(observers: observers, cache: cache))
    return Pin(name: name, scope: scope, times: times) {
        let task = Task.detached {
            let person =
                if let body {
                    try? await manager.post("users/1", body: body, as: Person.self)
                } else {
                    try? await manager.get("users/1", as: Person.self)
                }
            guard let person, person.id == 1 else { fatalError("the answer did not arrive") }
            finished.add(1, ordering: .relaxed)
        }
        complete(task)
    }
}

patchbay_hold_jobs()
let stub = StubTransport { _ in
    StubReply(fields: ["Content-Type": "application/json"], body: #"{"id":1,"name":"Ada"}"#)
}
// All of it, with the runtime, the C library and the stub. Once a run, because the stub keeps every request that it was sent.
smallRequest("small request over StubTransport", .all, times: 1, over: stub).run()
let ada = Person(id: 1, name: "Ada")
smallRequest("small POST of a value over StubTransport", .all, times: 1, sending: ada, over: stub).run()
let storable = StubTransport { _ in
    StubReply(
        fields: ["Content-Type": "application/json", "Cache-Control": "max-age=600"], body: #"{"id":1,"name":"Ada"}"#)
}
let hit = smallRequest(
    "small request from the cache in memory", .all, times: 1, over: storable, cache: .memory(bytes: 1 << 20))
hit.run()
guard storable.requests.count == 1 else { fatalError("the answer was not stored") }
// What of it is ours to change.
smallRequest("small request, our own code", .own, over: AnsweringTransport()).run()
smallRequest("small POST of a value, our own code", .own, sending: ada, over: AnsweringTransport()).run()
// On the way of the call; callgrind does not count the thread of the log.
let logged = FileManager.default.temporaryDirectory.appending(path: "patchbay-pins-\(UUID().uuidString)")
smallRequest(
    "small request with a traffic log, our own code", .own, over: AnsweringTransport(),
    observers: [TrafficLog(to: logged)]
).run()
try? FileManager.default.removeItem(at: logged)

/// One stream of many events, each with a value; the cost is that of one event.
/// - Parameter apart: whether each event comes when the one before it was read; else all come at once.
func stream(_ name: String, _ type: String, event: (Int) -> String, apart: Bool) -> Pin {
    let count = 1_000
    let events = (1...count).map { Array(event($0).utf8) }
    let transport = AnsweringTransport(type: type, chunks: apart ? events : [Array(events.joined())])
    let manager = SessionManager(baseURL: URL(string: "http://api.example"), registry: .standard, transport: transport)
    return Pin(name: name, scope: .own, times: 5, things: count) {
        let task = Task.detached {
            var sum = 0
            do {
                for try await person in try await manager.stream("users", of: Person.self) { sum += person.id }
            } catch { fatalError("the stream failed: \(error)") }
            guard sum == count * (count + 1) / 2 else { fatalError("other events arrived") }
            finished.add(1, ordering: .relaxed)
        }
        complete(task, over: transport)
    }
}

func line(_ id: Int) -> String { #"{"id":\#(id),"name":"Ada"}"# + "\n" }
func event(_ id: Int) -> String { "data: \(line(id))\n" }

stream("event of a stream, all at once, our own code", "text/event-stream", event: event, apart: false).run()
stream("event of a stream, each alone, our own code", "text/event-stream", event: event, apart: true).run()
stream("line of NDJSON, all at once, our own code", "application/x-ndjson", event: line, apart: false).run()
