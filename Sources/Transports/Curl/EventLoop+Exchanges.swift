import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform

/// Starts and ends exchanges. All of this code runs in a turn, and so under the turn lock.
extension EventLoop {
    func execute(_ command: Command) {
        switch command {
        case .start(let transfer): begin(transfer)
        case .stop(let number):
            guard let transfer = transfers[number] else { return }
            finish(transfer, transfer.stop())
        case .resume(let number):
            guard let transfer = transfers[number], let handle = transfer.handle else { return }
            switch handle.resume() {
            case PATCHBAY_CURLE_OK: break
            // libcurl reports this code if it could not register its sockets.
            case PATCHBAY_CURLE_ABORTED_BY_CALLBACK: failure = .cannotGoOn
            case let code: finish(transfer, transfer.result(code))
            }
        case .end: isEnding = true
        }
    }

    private func begin(_ transfer: Transfer) {
        let stop = transfer.receiver.stop
        guard !stop.hasFired else { return end(transfer, .failure(.stopped)) }
        let number = transfer.number
        transfers[number] = transfer
        limitConnectionsPerHost(to: connections.limit(for: transfer))
        guard enter(transfer) else { return }
        // The end of the exchange removes the listener, and with it this reference to the loop.
        transfer.stopListener = stop.listen { self.send(.stop(number)) }
    }

    /// Gives libcurl an exchange, or lets the exchange wait for a connection.
    /// - Returns: false if libcurl refused the exchange, which has then ended.
    @discardableResult
    private func enter(_ transfer: Transfer) -> Bool {
        if connections.enter(transfer) { return carry(transfer) }
        transfer.wait(because: connections.reason(transfer))
        return true
    }

    /// Raises libcurl's limit of connections to each host. libcurl has one limit for all hosts, and closes an idle
    /// connection of a host that has reached it. The `ConnectionQueue` applies lower limits.
    private func limitConnectionsPerHost(to limit: Int) {
        guard limit > connectionsPerHost else { return }
        connectionsPerHost = limit
        multi.set(PATCHBAY_CURLMOPT_MAX_HOST_CONNECTIONS, limit)
    }

    /// Gives libcurl an exchange. If libcurl refuses the exchange, the exchange ends.
    @discardableResult
    private func carry(_ transfer: Transfer) -> Bool {
        do throws(TransportFailure) {
            guard let handle = spareHandles.popLast() ?? multi.makeEasyHandle() else { throw .noHandle }
            try transfer.prepare(handle)
            guard multi.add(handle) else { throw .noHandle }
            return true
        } catch {
            finish(transfer, .failure(error))
            return false
        }
    }

    /// Gives libcurl the waiting exchanges that can continue. Called after libcurl has acted on its sockets and
    /// timeouts.
    func serveWaiting() {
        for transfer in connections.takeUntaken() { takeBack(transfer) }
        while let transfer = connections.next() {
            if case .promised = transfer.place { transfer.endWait() }
            carry(transfer)
        }
    }

    /// Takes an exchange back from libcurl, without an end of the exchange.
    private func takeBack(_ transfer: Transfer) {
        if let handle = transfer.handle {
            multi.remove(handle)
            handle.close()
        }
        transfer.letGo()
    }

    /// Called when libcurl has a connection for the exchange.
    func noteConnection(of transfer: Transfer, _ id: ConnectionID) {
        transfer.isConnected = true
        connections.connect(transfer, id)
        transfer.endWait()
    }

    /// Lets libcurl check, in the next turn, whether the exchanges in `released` have ended.
    ///
    /// libcurl 7.88.1 does not check this while a request body is paused: neither when the whole response has arrived
    /// and the server no longer reads the request body, nor when the connection is lost.
    func askReleased() {
        let numbers = released
        released.removeAll(keepingCapacity: true)
        for number in numbers { execute(.resume(number)) }
    }

    /// Notes that libcurl waits for nothing on the connection of the exchange. Called while libcurl acts.
    func noteRelease(of number: Int) { released.append(number) }

    /// Ends the exchanges that libcurl reports as ended, and the exchanges whose request bodies are left unfinished.
    func finishEnded() {
        while let (context, code) = multi.nextEnd() {
            let transfer = Transfer.at(context)
            // libcurl has closed a connection that was refused.
            switch transfer.refusal.take() {
            case .unaskedBytes: runAgain(transfer)
            case .repetition(let fate): sendAgain(transfer, after: fate)
            case nil:
                if let fate = transfer.fate(after: code) {
                    sendAgain(transfer, after: fate, code)
                } else {
                    finish(transfer, transfer.result(code))
                }
            }
        }
        guard !left.isEmpty else { return }
        for number in left {
            guard let transfer = transfers[number] else { continue }
            finish(transfer, transfer.result(PATCHBAY_CURLE_OK))
        }
        left.removeAll(keepingCapacity: true)
    }

    /// Sends the request once more, over a connection of its own, after it was sent and got no response. If it must not
    /// be sent again, the exchange ends.
    /// - Parameter code: the code of libcurl; nil if this code refused the next connection.
    private func sendAgain(_ transfer: Transfer, after fate: Transfer.Fate, _ code: patchbay_curl_code? = nil) {
        guard transfer.canSendAgain(after: fate) else {
            return finish(transfer, .failure(transfer.loss(fate, code)))
        }
        runAgain(transfer, .alone(after: fate))
    }

    /// Gives libcurl the exchange once more, for another connection, or lets the exchange wait for a connection.
    private func runAgain(_ transfer: Transfer, _ sending: Transfer.Sending? = nil) {
        connections.leave(transfer)
        takeBack(transfer)
        transfer.sending = sending ?? transfer.sending
        enter(transfer)
    }

    /// Notes that the response of the exchange is complete and that the remaining bytes of its request body are not
    /// sent. Called while libcurl acts.
    ///
    /// libcurl then closes the connection of the exchange or resets its stream, because the exchange is removed while
    /// it runs. libcurl must not be told that the request body has ended: a server would read the body as complete, and
    /// the next request would begin inside the body.
    func noteLeave(of number: Int) { left.append(number) }

    /// Removes an exchange from the loop; its caller is resumed after the turn.
    private func finish(_ transfer: Transfer, _ result: Result<ExchangeTimings, TransportFailure>) {
        var result = result
        var isRefused = false
        if case .failure(let failure) = result {
            isRefused = failure.code != .stopped
            result = .failure(transfer.failure(failure))
        }
        transfers[transfer.number] = nil
        connections.leave(transfer, isRefused: isRefused)
        if let handle = transfer.handle {
            multi.remove(handle)
            // The handle is kept for a later exchange only after a success: a reset does not clear the state of a failure
            // or of an unfinished body.
            if case .success = result, !transfer.leavesBody, spareHandles.count < mostSpareHandles {
                handle.reset()
                spareHandles.append(handle)
            } else {
                handle.close()
            }
        }
        transfer.close()
        end(transfer, result)
    }

    /// Resumes the caller of the exchange after the turn.
    private func end(_ transfer: Transfer, _ result: Result<ExchangeTimings, TransportFailure>) {
        transfer.outcome = result
        ends.append(transfer)
    }

    /// Ends every exchange, including exchanges that have not started, and the loop.
    ///
    /// libcurl only releases the transfers and closes their connections. Its lists of sockets can be half written, but
    /// libcurl reads them only when it acts on a socket.
    func close(_ failure: TransportFailure) {
        isEnding = true
        let unseen = queue.withLock { queue in
            defer { queue.commands = [] }
            queue.isClosed = true
            return queue.commands
        }
        for case .start(let transfer) in unseen { end(transfer, .failure(failure)) }
        for transfer in transfers.values { finish(transfer, .failure(failure)) }
    }
}
