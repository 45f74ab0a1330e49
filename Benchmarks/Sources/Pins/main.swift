// Runs what is pinned, in order, and prints how often each allocates. Synchronous: valgrind 3.19 crashes on an asynchronous
// main. scripts/pins runs it under callgrind.
import Foundation
import Patchbay
import PatchbayTesting
import PinnedCounts

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

/// - Parameter body: what is sent; nil is a GET.
func smallRequest(
    _ name: String, _ scope: Pin.Scope, times: Int = 2_000, sending body: Person? = nil, over transport: some Transport
) -> Pin {
    let manager = SessionManager(baseURL: URL(string: "http://api.example"), registry: .standard, transport: transport)
    return Pin(name: name, scope: scope, times: times) {
        Task.detached {
            let person =
                if let body {
                    try? await manager.post("users/1", body: body, as: Person.self)
                } else {
                    try? await manager.get("users/1", as: Person.self)
                }
            guard let person, person.id == 1 else { fatalError("the answer did not arrive") }
        }
        guard patchbay_run_jobs() > 0 else { fatalError("no job was held") }
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
// What of it is ours to change.
smallRequest("small request, our own code", .own, over: AnsweringTransport()).run()
smallRequest("small POST of a value, our own code", .own, sending: ada, over: AnsweringTransport()).run()
