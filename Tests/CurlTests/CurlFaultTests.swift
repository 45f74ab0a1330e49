#if canImport(Glibc)
    import CTestFaults
    import CTestResolver
    import Glibc
    import PatchbayCurl
    import PatchbayManager
    import PatchbayRegistry
    import TestSupport
    import Testing

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// What comes of a call that fails, of the door or of libcurl: a failure with a type or a whole response, in time, and after it
    /// and one exchange more the transport is as good as new.
    ///
    /// In child processes: a fault that is not survived ends them with a signal, and so does an alarm what hangs. One at a time,
    /// because there are tens of thousands of exchanges in each.
    @Suite(
        "CurlTransport survives calls that fail", .serialized, .timeLimit(.minutes(5)),
        .enabled(
            if: patchbay_faults_are_there() == 1 && patchbay_test_resolver_is_there() == 1, "no faults in this build"))
    struct CurlFaultTests {
        /// One kind of call, made to fail at its first to its last turn.
        struct Row: Sendable, Codable, CustomTestStringConvertible {
            let call: UInt32
            let name: String
            let error: Int32
            let requests: [Request]
            var last = 200
            /// How many calls in a row fail.
            var count = 1
            /// Whether each exchange has a transport of its own.
            var isFresh = false
            /// Whether a later libcurl makes no such call (8.23: its sockets are made as it wants them).
            var mayBeMissing = false
            var testDescription: String { count == 1 ? name : "\(name), and every one after it" }

            init(
                _ call: patchbay_fault, _ name: String, _ error: Int32, _ requests: [Request] = Request.allCases,
                last: Int = 200, count: Int = 1, isFresh: Bool = false, mayBeMissing: Bool = false
            ) {
                (self.call, self.name, self.error, self.requests) = (call.rawValue, name, error, requests)
                (self.last, self.count, self.isFresh, self.mayBeMissing) = (last, count, isFresh, mayBeMissing)
            }
        }

        static let rows = [
            Row(PATCHBAY_FAULT_EPOLL_CTL, "the N-th epoll_ctl", ENOSPC, [.get, .named, .closed]),
            // Each transport has one, so that more of them would be the same again.
            Row(PATCHBAY_FAULT_EPOLL_CREATE, "the N-th epoll_create1", EMFILE, [.get], last: 20, isFresh: true),
            Row(PATCHBAY_FAULT_EVENTFD, "the N-th eventfd", EMFILE, [.get], last: 20, isFresh: true),
            Row(PATCHBAY_FAULT_DOOR_MEMORY, "the N-th allocation of the door", ENOMEM),
            Row(PATCHBAY_FAULT_SOCKET, "the N-th socket", EMFILE, Array(repeating: .closed, count: 16)),
            Row(PATCHBAY_FAULT_FCNTL, "the N-th fcntl", ENOLCK, [.named, .named, .closed], mayBeMissing: true),
            Row(PATCHBAY_FAULT_LIBCURL_MEMORY, "the N-th allocation of libcurl", ENOMEM),
            Row(PATCHBAY_FAULT_LIBCURL_MEMORY, "the N-th allocation of libcurl", ENOMEM, count: 1 << 20),
            Row(
                PATCHBAY_FAULT_LIBCURL_MEMORY, "the N-th allocation of libcurl for a new transport", ENOMEM,
                isFresh: true),
        ]

        @Test("A call that fails is survived", arguments: rows)
        func survives(_ row: Row) async throws {
            let server = try RawServer { Self.answer($0) }
            await #expect(processExitsWith: .success) { [row, port = server.port as UInt16] in
                alarm(280)
                try #require(patchbay_faults_start_libcurl() == 0)
                try await Self.survive(row, port)
            }
        }

        private static func survive(_ row: Row, _ port: UInt16) async throws {
            let call = patchbay_fault(rawValue: row.call)
            let kept = CurlTransport()
            try #require(await Request.get.isAnswered(by: kept, port))
            let count = TestLength.count(max(row.last / 4, 1), of: row.last, "calls that fail, one by one")
            for number in stride(from: 1, through: row.last, by: row.last / count) {
                patchbay_faults_begin(call, Int32(number), Int32(row.count), row.error)
                var rounds = 0
                repeat {
                    rounds += 1
                    await withDiscardingTaskGroup { group in
                        for request in row.requests {
                            group.addTask {
                                let transport = row.isFresh ? CurlTransport() : kept
                                await #expect(request.isAnsweredOrFails(by: transport, port), "N = \(number)")
                            }
                        }
                    }
                } while patchbay_faults_so_far() == 0 && rounds < 200
                let faults = patchbay_faults_end()
                if faults == 0, number == 1, row.mayBeMissing { return }
                try #require(faults > 0, "there was no N = \(number)")
                // What libcurl keeps from a time without memory may have lost something. The call that meets it may fail, and no other.
                try #require(await Request.get.isAnsweredOrFails(by: kept, port), "after N = \(number)")
                try #require(await Request.get.isAnswered(by: kept, port), "the second after N = \(number)")
            }
        }

        // libcurl before 8.13 closes file 0, whoever's it is, where it has no memory for the lock of a look-up.

        @Test("A transport has no file by the number of standard input, which libcurl may close")
        func withoutStandardInput() async throws {
            let server = try RawServer { Self.answer($0) }
            await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
                alarm(60)
                close(STDIN_FILENO)
                let transport = CurlTransport()
                try #require(await Request.get.isAnswered(by: transport, port))
                close(STDIN_FILENO)
                try #require(await Request.get.isAnswered(by: transport, port))
            }
        }

        @Test("The number of standard input is taken again when libcurl had no memory for a look-up")
        func standardInput() async throws {
            let server = try RawServer { Self.answer($0) }
            await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
                alarm(60)
                try #require(patchbay_faults_start_libcurl() == 0)
                for number in 1...1000 {
                    let transport = CurlTransport()
                    patchbay_faults_begin(PATCHBAY_FAULT_LIBCURL_MEMORY, Int32(number), 1, ENOMEM)
                    let isAnswered = await Request.named.isAnswered(by: transport, port)
                    let hadFault = patchbay_faults_end() == 1
                    try #require(fcntl(STDIN_FILENO, F_GETFD) != -1, "N = \(number)")
                    // Each allocation has had its turn.
                    guard hadFault else { return try #require(isAnswered) }
                }
                Issue.record("there was a fault at every N")
            }
        }

        @Test("Exchanges under way when a socket cannot be watched end once each, and later ones are as ever")
        func underWay() async throws {
            await #expect(processExitsWith: .success) {
                alarm(60)
                let gate = Gate()
                let server = try RawServer { request in
                    // Without a connection that is kept: its socket stays watched.
                    request.target == "/x"
                        ? .raw("HTTP/1.0 200 OK\r\n\r\nx") : RawReply.response(body: "late").after(gate)
                }
                let transport = CurlTransport()
                let rows: [(Int32, String)] = [
                    (ENOSPC, "the system can watch no more sockets (ENOSPC)"),
                    (ENOMEM, "the system has no memory to spare (ENOMEM)"),
                ]
                for (round, (error, reason)) in rows.enumerated() {
                    let waiting = (0..<8).map { _ in Task { await transport.exchange(server.url("/late")) } }
                    await until { server.requests.count { $0.target == "/late" } == 8 * (round + 1) }
                    // With it the turns are over in which those were sent, and their sockets watched.
                    try #require(await transport.exchange(server.url("/x")).record.text == "x")
                    patchbay_faults_begin(PATCHBAY_FAULT_EPOLL_CTL, 1, 1, error)
                    // Not `/x`, whose response could be there before its socket has to be watched.
                    let failed = await transport.exchange(server.url("/last"))
                    try #require(patchbay_faults_end() == 1)
                    let expected = TransportFailure(.outOfMemory, reason)
                    try #require(failed.result.failure == expected)
                    for task in waiting { try #require(await task.value.result.failure == expected) }
                    try #require(await transport.exchange(server.url("/x")).record.text == "x")
                }
            }
        }

        @Test("The socket of a kept connection stays watched, until its server closes it")
        func keptSocket() async throws {
            await #expect(processExitsWith: .success) {
                alarm(60)
                let (ends, late) = (Gate(), Gate())
                let server = try RawServer { request in
                    switch request.target {
                    case "/late": RawReply.response(body: "x").after(late)
                    // Late enough that libcurl waits for it, so that the socket is watched.
                    case "/last":
                        RawReply(
                            [.pause(.milliseconds(200))] + RawReply.response(body: "x").steps + [.wait(ends), .close])
                    default: .response(body: "x")
                    }
                }
                let transport = CurlTransport()
                func answers(_ target: String) async -> Bool {
                    await transport.exchange(server.url(target)).record.text == "x"
                }
                // While an exchange runs, a later libcurl (8.23) watches a descriptor of its own.
                async let waiting = answers("/late")
                await until { server.requests.count == 1 }
                for _ in 0..<10 { try #require(await answers("/x")) }
                patchbay_faults_begin(PATCHBAY_FAULT_EPOLL_CTL, .max, 1, ENOSPC)
                for _ in 0..<100 { try #require(await answers("/x")) }
                // It used to change twice an exchange.
                try #require(patchbay_faults_seen() <= 3)
                try #require(await answers("/last"))
                let before = patchbay_faults_seen()
                ends.open()
                // The end of the connection wakes the loop, which ends the watch.
                await until { patchbay_faults_seen() > before }
                try await Task.sleep(for: .milliseconds(200))
                try #require(patchbay_faults_seen() == before + 1)
                _ = patchbay_faults_end()
                try #require(await answers("/x"))
                late.open()
                try #require(await waiting)
            }
        }

        @Test("A transport that could not be made says what there was too little of, and can be made later")
        func notMade() async throws {
            let server = try RawServer(always: .response(body: "x"))
            await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
                alarm(60)
                let files = "the process may open no more files (EMFILE)"
                let rows: [(patchbay_fault, Int32, String)] = [
                    (PATCHBAY_FAULT_EPOLL_CREATE, EMFILE, files), (PATCHBAY_FAULT_EVENTFD, EMFILE, files),
                    (PATCHBAY_FAULT_EPOLL_CREATE, ENFILE, "the system can open no more files (ENFILE)"),
                    (PATCHBAY_FAULT_EPOLL_CTL, ENOSPC, "the system can watch no more sockets (ENOSPC)"),
                    (PATCHBAY_FAULT_DOOR_MEMORY, ENOMEM, "the system has no memory to spare (ENOMEM)"),
                ]
                // Kept, so that the end of none makes the call that is to fail.
                let transports = rows.map { _ in CurlTransport() }
                for ((call, error, reason), transport) in zip(rows, transports) {
                    patchbay_faults_begin(call, 1, 1, error)
                    let failed = await transport.exchange(url("/x", port))
                    try #require(patchbay_faults_end() == 1)
                    try #require(failed.result.failure == TransportFailure(.outOfMemory, reason))
                    try #require(await transport.exchange(url("/x", port)).record.text == "x")
                }
            }
        }

        @Test("A connection for which there is no socket fails with what there is too little of")
        func noSocket() async throws {
            let server = try RawServer(always: .raw("HTTP/1.0 200 OK\r\n\r\nx"))
            await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
                alarm(60)
                let rows: [(Int32, String)] = [
                    (EMFILE, "the process may open no more files (EMFILE)"),
                    (ENFILE, "the system can open no more files (ENFILE)"),
                    (ENOBUFS, "the system has no memory to spare (ENOBUFS)"),
                    (ENOMEM, "the system has no memory to spare (ENOMEM)"),
                ]
                let transport = CurlTransport()
                for (error, reason) in rows {
                    patchbay_faults_begin(PATCHBAY_FAULT_SOCKET, 1, 1000, error)
                    let failed = await transport.exchange(url("/x", port))
                    _ = patchbay_faults_end()
                    // A later libcurl (8.23) has a code of its own for the last.
                    let reasons = error == ENOMEM ? [reason, "libcurl has no memory left"] : [reason]
                    try #require(failed.result.failure?.code == .outOfMemory)
                    try #require(reasons.contains(failed.result.failure?.reason ?? ""))
                    try #require(await transport.exchange(url("/x", port)).record.text == "x")
                }
            }
        }

        // MARK: What is asked and answered

        enum Request: String, CaseIterable, Codable {
            case get, named, closed, post, coded

            func isAnswered(by transport: CurlTransport, _ port: UInt16) async -> Bool {
                let exchange = await exchange(by: transport, port)
                return exchange.code == nil && exchange.record.text == expected
            }

            /// Whether it is a failure, or the whole answer.
            func isAnsweredOrFails(by transport: CurlTransport, _ port: UInt16) async -> Bool {
                let exchange = await exchange(by: transport, port)
                return exchange.code != nil || exchange.record.text == expected
            }

            private var expected: String { self == .coded ? CodedBody.text : rawValue }

            /// With a deadline, as every call has one: without memory libcurl may lose what a transfer waits for.
            private func exchange(by transport: CurlTransport, _ port: UInt16) async -> Exchange {
                let receiver = RecordingReceiver()
                let deadline = Task {
                    try await Task.sleep(for: .seconds(10))
                    receiver.stop.fire()
                }
                defer { deadline.cancel() }
                switch self {
                case .named:
                    return await transport.exchange(url("/named", port, host: "loopback.test"), receiver: receiver)
                case .post:
                    return await transport.exchange(
                        url("/post", port), method: "POST", body: [UInt8](repeating: 0x61, count: 100),
                        receiver: receiver)
                default: return await transport.exchange(url("/\(rawValue)", port), receiver: receiver)
                }
            }
        }

        private static func answer(_ request: RawServer.Request) -> RawReply {
            let body = request.target.dropFirst()
            switch body {
            // So that each asks for a socket.
            case "closed", "named": return .raw("HTTP/1.0 200 OK\r\n\r\n\(body)")
            case "coded":
                let coded = CodedBody.all[0]
                return .response(["Content-Encoding": coded.coding], body: coded.bytes)
            default: return .response(body: body.utf8)
            }
        }
    }

    private func url(_ path: String, _ port: UInt16, host: String = "127.0.0.1") -> URL {
        guard let url = URL(string: "http://\(host):\(port)\(path)") else {
            fatalError("the test asks for a path that no URL can have: \(path)")
        }
        return url
    }
#endif
