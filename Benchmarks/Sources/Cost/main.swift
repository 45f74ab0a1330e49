// Makes so many small requests, so many at a time, and ends: what scripts/cost and scripts/calls count under callgrind.
// Synchronous: valgrind 3.19 crashes on an asynchronous main.
import CurlPeer
import Dispatch
import Foundation
import Patchbay
import Requests

/// Who makes the requests: Patchbay, which decodes the answer, or libcurl in C, which keeps its bytes.
enum Side: String { case typed, curl }

func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("patchbay-cost: \(reason)\n".utf8))
    exit(1)
}

let words = CommandLine.arguments
if words.dropFirst() == ["answer"] {
    print(Person.json, terminator: "")
    exit(0)
}
guard words.count == 5, let side = Side(rawValue: words[1]), let origin = URL(string: words[2]),
    let times = Int(words[3]), let flying = Int(words[4]), times > 0, flying > 0
else { fail("usage: patchbay-cost answer, or patchbay-cost typed|curl ORIGIN TIMES FLYING") }

switch side {
case .typed:
    let manager = SessionManager(baseURL: origin)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            try await Flight(flying).run(times) {
                guard try await manager.get(Person.file, as: Person.self).id == 1 else { fail("another answer") }
            }
        } catch {
            fail("\(error)")
        }
        isDone.signal()
    }
    isDone.wait()
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    print("voluntary switches \(usage.ru_nvcsw)")
case .curl:
    let peer = curl_peer_new()
    defer { curl_peer_free(peer) }
    let failures = curl_peer_together(peer, origin.appendingPathComponent(Person.file).absoluteString, times, flying)
    guard failures == 0 else { fail("\(failures) requests of libcurl failed") }
}
