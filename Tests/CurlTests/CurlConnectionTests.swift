import CTestResolver
import Patchbay
import PatchbayCurl
import PatchbayPlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("CurlTransport keeps connections", .timeLimit(.minutes(5)))
struct CurlConnectionTests {
    @Test("One connection carries exchanges in turn, HEAD and 204 among them")
    func reuse() async throws {
        let server = try RawServer { request in
            switch request.method {
            case "HEAD": .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", closing: false)
            case "DELETE": .response(status: 204)
            default: .response(body: request.body)
            }
        }
        let transport = CurlTransport()
        for round in 0..<5 {
            let post = await transport.exchange(server.url(), method: "POST", body: Array("p\(round)".utf8))
            #expect(post.record.text == "p\(round)")
            let head = await transport.exchange(server.url(), method: "HEAD")
            #expect(head.record.fields["Content-Length"] == "100")
            #expect(head.record.body.isEmpty)
            #expect(await transport.exchange(server.url(), method: "DELETE").record.status == 204)
        }
        #expect(server.connections == 1)
    }

    @Test(
        "A program that is started in the middle of a call does not inherit its connection",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/net/tcp"), "needs /proc"))
    func children() async throws {
        let gate = Gate()
        let server = try RawServer(always: .response(body: "x").after(gate))
        let task = Task { await CurlTransport().exchange(server.url()) }
        await server.requests(atLeast: 1)
        let child = try await ChildProcess.run("/bin/sh", ["-c", "ls -l /proc/self/fd; cat /proc/net/tcp"])
        gate.open()
        #expect(await task.value.record.text == "x")
        // proc(5): the third word is the other end, as hexadecimal digits, and the tenth the number of the socket. A connection that
        // an earlier server on the same port has closed stands there for a minute without a socket, as number 0.
        let port = ":" + String(server.port, radix: 16, uppercase: true)
        let lines: [[Substring]] = child.outputText.split(separator: "\n").map { $0.split(separator: " ") }
        let ours = lines.filter { words in words.count > 9 && words[2].hasSuffix(port) && words[9] != "0" }
        #expect(!ours.isEmpty)
        for words in ours { #expect(!child.outputText.contains("socket:[\(words[9])]")) }
    }

    @Test("The timings tell of a new connection and of a kept one")
    func timings() async throws {
        let server = try RawServer(always: .response(body: "x"))
        let transport = CurlTransport()
        let first = try await transport.exchange(server.url()).result.get()
        let second = try await transport.exchange(server.url()).result.get()
        #expect(first.reusedConnection == false)
        #expect(first.httpVersion == "1.1")
        let connect = try #require(first.connect)
        let firstByte = try #require(first.firstByte)
        #expect(connect <= firstByte && firstByte <= first.total)
        #expect(first.secureConnect == nil)
        #expect(second.reusedConnection == true)
        #expect(second.connect == nil)
        #expect(second.nameLookup == nil)
    }

    @Test("HTTP/1.0 is told apart, and its connection is not kept")
    func oldVersion() async throws {
        let server = try RawServer(always: .raw("HTTP/1.0 200 OK\r\n\r\nold"))
        let transport = CurlTransport()
        for _ in 0..<2 {
            let exchange = await transport.exchange(server.url())
            #expect(exchange.timings?.httpVersion == "1.0")
            #expect(exchange.timings?.reusedConnection == false)
        }
    }

    @Test(
        "A kept connection that the host has closed is replaced, and the body sent again", arguments: [0, 1, 200_000])
    func deadConnection(_ bodyBytes: Int) async throws {
        let count = Guarded(0)
        let server = try RawServer { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? RawReply([.close]) : .response(body: "\(request.body.count)")
        }
        let transport = CurlTransport()
        let body = [UInt8](repeating: 0x61, count: bodyBytes)
        for _ in 0..<2 {
            let exchange = await transport.exchange(server.url(), method: "PUT", body: body)
            #expect(exchange.record.text == "\(bodyBytes)")
        }
        #expect(server.requests.count == 3)
        #expect(server.connections == 2)
    }

    /// The host may have processed the request (RFC 9110, section 9.2.2).
    @Test("A POST whose kept connection the host closes is sent once, unless it has a key", arguments: [false, true])
    func deadConnectionUnderPost(hasKey: Bool) async throws {
        for ending in [
            [RawReply.Step.close], [.send(Array("H".utf8)), .close], [.send(Array("HTTP/1.1 200 O".utf8)), .close],
            [.reset],
        ] {
            let count = Guarded(0)
            let server = try RawServer { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number == 2 ? RawReply(ending) : .response(body: "x")
            }
            let manager = SessionManager(baseURL: server.url(), registry: .standard, transport: CurlTransport())
            var request = SessionRequest("a", method: "POST", content: .data(Data("b".utf8)))
            if hasKey { request.headers["Idempotency-Key"] = "1" }
            #expect(try await manager.send(request, as: String.self).value == "x")
            do throws(SessionError) {
                #expect(try await manager.send(request, as: String.self).value == "x")
                #expect(hasKey)
            } catch {
                #expect(!hasKey)
                #expect((error.cause as? TransportFailure)?.code == .lostConnection, "\(error)")
                #expect(error.retries == 0)
            }
            #expect(server.requests.count == (hasKey ? 3 : 2), "\(ending)")
        }
    }

    @Test("A request is sent twice at most, however many kept connections the host closes")
    func deadConnections() async throws {
        let arrived = Guarded(0)
        let gate = Gate()
        let server = try RawServer { request in
            guard request.method == "GET" else { return RawReply([.close]) }
            let number = arrived.withLock { count in
                count += 1
                return count
            }
            if number == 4 { gate.open() }
            return RawReply([.wait(gate)] + RawReply.response(body: "x").steps)
        }
        let manager = SessionManager(baseURL: server.url(), registry: .standard, transport: CurlTransport())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try await manager.send("a") } }
            try await group.waitForAll()
        }
        for (method, times) in [("PUT", 2), ("POST", 1)] {
            let error = await #expect(throws: SessionError.self) {
                try await manager.send(SessionRequest("a", method: method, content: .data(Data("b".utf8))))
            }
            #expect((error?.cause as? TransportFailure)?.code == .lostConnection)
            #expect(error?.reason.hasSuffix("the request may have been processed") == (method == "POST"))
            #expect(server.requests.count { $0.method == method } == times, "\(method)")
        }
    }

    @Test("A kept connection that the host closes under a body that can be sent once only is a lost connection")
    func deadConnectionUnderSinglePass() async throws {
        let count = Guarded(0)
        let server = try RawServer { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? RawReply([.close]) : .response(body: "\(request.body.count)")
        }
        let manager = SessionManager(baseURL: server.url(), registry: .standard, transport: CurlTransport())
        for number in 1...2 {
            let (chunks, more) = AsyncStream.makeStream(of: Data.self)
            more.yield(Data(repeating: 0x61, count: 100))
            more.finish()
            var request = SessionRequest("", method: "POST")
            request.content = .stream(chunks)
            do throws(SessionError) {
                let reply = try await manager.send(request, as: String.self)
                #expect(number == 1 && reply.value == "100")
            } catch {
                #expect(number == 2)
                #expect((error.cause as? TransportFailure)?.code == .lostConnection, "\(error)")
            }
        }
        #expect(server.requests.count == 2)
    }

    @Test("Bytes behind a response never become the next response")
    func leftover() async throws {
        let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        let server = try RawServer { request in
            request.target == "/first"
                ? .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst\(evil)", closing: false)
                : .response(body: "good")
        }
        let transport = CurlTransport()
        for _ in 0..<5 {
            #expect(await transport.exchange(server.url("/first")).record.text == "first")
            #expect(await transport.exchange(server.url("/second")).record.text == "good")
        }
    }

    @Test("The body of a response to HEAD never becomes the next response")
    func bodyAfterHead() async throws {
        let server = try RawServer { request in
            request.method == "HEAD"
                ? .response(body: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil") : .response(body: "good")
        }
        let transport = CurlTransport()
        for _ in 0..<5 {
            #expect(await transport.exchange(server.url(), method: "HEAD").record.body.isEmpty)
            #expect(await transport.exchange(server.url()).record.text == "good")
        }
    }

    @Test("A folded first line after another response is a failure, and not the end of the process")
    func foldAfterResponse() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer { request in
                request.target == "/fold"
                    ? .raw("HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 0\r\n\r\n")
                    : .response(["X": "y"], body: "fine")
            }
            let transport = CurlTransport()
            for _ in 0..<50 {
                try #require(await transport.exchange(server.url()).record.text == "fine")
                try #require(await transport.exchange(server.url("/fold")).code == .malformedResponse)
            }
        }
    }

    @Test("Two hundred exchanges at once get two hundred bodies, over no more connections than allowed")
    func atOnce() async throws {
        let server = try RawServer { request in .response(body: request.target).delayed(by: .milliseconds(5)) }
        let transport = ConnectedTransport(connectionsPerHost: 8)
        let right = await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask { await transport.exchange(server.url("/\(number)")).record.text == "/\(number)" }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(right == 200)
        #expect((2...8).contains(server.connections))
    }

    @Test("A port that nobody listens on")
    func refused() async throws {
        let server = try RawServer(always: .response())
        let url = server.url()
        server.stop()
        let exchange = await CurlTransport().exchange(url)
        #expect(
            exchange.result.failure
                == TransportFailure(
                    .refusedConnection, "the connection to port \(server.port) of the host was refused"))
    }

    @Test(
        "A host that does not exist",
        .enabled(if: patchbay_test_resolver_is_there() == 1, "the tests' own resolver is not in this build"))
    func unresolved() async throws {
        let exchange = await CurlTransport().exchange(try #require(URL(string: "http://missing.test/")))
        #expect(
            exchange.result.failure == TransportFailure(.unresolvedHost, "the host name could not be resolved"))
    }

    @Test(
        "Names that no rule of IDNA explains are asked",
        .enabled(if: patchbay_test_resolver_is_there() == 1, "the tests' own resolver is not in this build"),
        arguments: ["loopback---sn-x.xn--mller-kva.de", "loopback.xn--a"])
    func oddNames(_ name: String) async throws {
        let server = try RawServer(always: .response(status: 204))
        let manager = SessionManager(registry: .standard, transport: CurlTransport())
        _ = try await manager.send("HTTP://\(name):\(server.port)/")
        #expect(server.requests.map { $0.fields["Host"] } == ["\(name):\(server.port)"])
    }

    @Test("A host that does not speak TLS")
    func notSecure() async throws {
        let server = try RawServer(onConnect: .raw("no TLS here\r\n"))
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let exchange = await CurlTransport().exchange(url)
        #expect(exchange.code == .insecureConnection)
    }
}
