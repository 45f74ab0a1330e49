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
            let result = transfer.stop()
            if (transfer.receiver as? any TimedReceiver)?.isOutOfTime == true { avoidSilentConnection(of: transfer) }
            finish(transfer, result)
        case .resume(let number):
            guard let transfer = transfers[number], let handle = transfer.handle else { return }
            switch handle.resume() {
            case PATCHBAY_CURLE_OK: break
            // libcurl reports this code if it could not register its sockets.
            case PATCHBAY_CURLE_ABORTED_BY_CALLBACK: failure = .cannotGoOn
            case let code: finish(transfer, transfer.result(code))
            }
        case .check(let number):
            guard let transfer = transfers[number], !transfer.isConnected else { return }
            if transfer.handle?.check() == PATCHBAY_CURLE_ABORTED_BY_CALLBACK { failure = .cannotGoOn }
        case .leave(let number):
            // libcurl closes the connection of the exchange or resets its stream, because the exchange is removed while
            // it runs. libcurl must not be told that the request body has ended: a server would read the body as
            // complete, and the next request would begin inside the body.
            guard let transfer = transfers[number] else { return }
            finish(transfer, transfer.result(PATCHBAY_CURLE_OK))
        case .end: isEnding = true
        }
    }

    private func begin(_ transfer: Transfer) {
        let stop = transfer.receiver.stop
        guard !stop.hasFired else { return ends.append((transfer, .failure(.stopped))) }
        let number = transfer.number
        transfers[number] = transfer
        // libcurl has one limit for all hosts, and closes an idle connection of a host that has reached it. The
        // `ConnectionQueue` applies lower limits. A proxy counts as the host of all requests that it reads.
        let most = transfer.request.isReadByProxy ? limits.connections : connections.limit(for: transfer)
        if most > connectionsPerHost {
            connectionsPerHost = most
            limitConnections()
        }
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

    /// Gives libcurl an exchange. If libcurl refuses the exchange, the exchange ends.
    @discardableResult
    private func carry(_ transfer: Transfer) -> Bool {
        if let host = transfer.connections, host.areTooOld(for: transfer), renewConnections(host, of: transfer) {
            // The exchange is among those that were run again.
            return transfers[transfer.number] != nil
        }
        do throws(TransportFailure) {
            guard let multi = transfer.connections?.multi,
                let handle = spareHandles.popLast() ?? EasyHandle(watch: watch)
            else { throw .noHandle }
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
            transfer.connections?.multi.remove(handle)
            handle.close()
        }
        transfer.verdict = nil
        transfer.letGo()
    }

    /// Called when libcurl has a connection for the exchange.
    func noteConnection(of transfer: Transfer, _ id: ConnectionID) {
        transfer.times.turnSent = turns
        connections.connect(transfer, id)
        transfer.endWait()
    }

    /// Ends the exchanges that libcurl reports as ended.
    func finishEnded() {
        for multi in multis {
            while let (context, code) = multi.nextEnd() { finishEnded(Transfer.at(context), code) }
        }
    }

    private func finishEnded(_ transfer: Transfer, _ code: patchbay_curl_code) {
        // libcurl has closed a connection that was refused.
        switch transfer.verdict {
        case .unaskedBytes: runAgain(transfer)
        case .repetition(let fate): sendAgain(transfer, after: fate)
        case .failed, nil:
            if let fate = transfer.fate(after: code) {
                sendAgain(transfer, after: fate, code)
            } else {
                finish(transfer, transfer.result(code))
            }
        }
    }

    /// Sends the request once more, over a connection of its own, after it was sent and got no response. If it must not
    /// be sent again, the exchange ends.
    /// - Parameter code: the code of libcurl; nil if this code refused the next connection.
    private func sendAgain(_ transfer: Transfer, after fate: Transfer.Fate, _ code: patchbay_curl_code? = nil) {
        guard transfer.canSendAgain(after: fate) else {
            return finish(transfer, .failure(transfer.loss(fate, code)))
        }
        runAgain(transfer, Transfer.Repetition(fate: fate, isAlone: true))
    }

    /// Gives libcurl the exchange once more, for another connection, or lets the exchange wait for a connection.
    private func runAgain(_ transfer: Transfer, _ repetition: Transfer.Repetition? = nil) {
        takeBack(transfer)
        connections.leave(transfer)
        transfer.repetition = repetition ?? transfer.repetition
        // Interim responses are forgotten.
        transfer.reader = ResponseHeadReader(method: transfer.request.method)
        enter(transfer)
    }

    /// Removes an exchange from the loop; its caller is resumed after the turn.
    private func finish(_ transfer: Transfer, _ outcome: Transfer.Outcome) {
        var outcome = outcome
        var (isRefused, isReusable) = (false, spareHandles.count < mostSpareHandles)
        switch outcome {
        // A handle is kept for a later exchange only after a success: a reset does not clear the state of a failure or
        // of an unfinished body.
        case .success(let timings): isReusable = isReusable && !timings.leftBody
        case .failure(let failure):
            (isRefused, isReusable) = (failure.code != .stopped, false)
            outcome = .failure(transfer.failure(failure))
        }
        transfers[transfer.number] = nil
        if let handle = transfer.handle {
            transfer.connections?.multi.remove(handle)
            if isReusable {
                handle.reset()
                spareHandles.append(handle)
            } else {
                handle.close()
            }
        }
        connections.leave(transfer, isRefused: isRefused)
        transfer.stopListener.take()?.remove()
        transfer.letGo()
        ends.append((transfer, outcome))
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
        for case .start(let transfer) in unseen { ends.append((transfer, .failure(failure))) }
        for transfer in transfers.values { finish(transfer, .failure(failure)) }
    }
}

/// Multi handles, each with connections that the hosts of another one do not use.
extension EventLoop {
    /// Sets the limits of libcurl, which are those of each multi handle.
    func limitConnections() {
        for multi in multis {
            multi.set(PATCHBAY_CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.connections)
            multi.set(PATCHBAY_CURLMOPT_MAXCONNECTS, limits.connections)
            multi.set(PATCHBAY_CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        }
    }

    /// Keeps all other exchanges away from the connection of an exchange that ran out of time, if nothing has arrived on
    /// the connection since the request was sent. Other exchanges on it continue.
    ///
    /// The network can have forgotten the connection, or the host no longer reads it. If the connection is a kept one, the
    /// idle connections of the host can be in the same state, and are not used again either.
    private func avoidSilentConnection(of transfer: Transfer) {
        // All exchanges on earlier connections close them already.
        guard let handle = transfer.handle, let attempt = transfer.attempt, let host = transfer.connections,
            connections.isCurrent(host, of: transfer), isSilent(transfer, handle, host)
        else { return }
        // libcurl closes the connection when its last exchange has ended.
        _ = handle.set(PATCHBAY_CURLOPT_FORBID_REUSE, 1)
        if attempt.made == 0 || host.isInUse(byOthersThan: transfer) { renewConnections(host, of: transfer) }
    }

    /// Whether nothing has arrived on the connection of the exchange since its request was sent.
    private func isSilent(_ transfer: Transfer, _ handle: EasyHandle, _ host: HostConnections) -> Bool {
        // Nothing tells what arrives on a Unix socket for other exchanges.
        guard transfer.hasAddresses else { return !transfer.reader.hasBegun }
        guard case .connected(let id) = transfer.place, let address = handle.remoteAddress,
            let port = handle.number(PATCHBAY_CURLINFO_PRIMARY_PORT),
            let arrival = watch.lastArrival(from: id.localPort, to: address, port)
        else { return false }
        return max(arrival, host.lastResponse(on: id)) <= transfer.times.turnSent
    }

    /// Gives the later exchanges with a host other connections. The exchanges that have a connection keep it, and the last
    /// one of each connection closes it. libcurl cannot close or avoid one connection while exchanges use it, so the host
    /// gets another multi handle.
    /// - Returns: false if there is no memory for another multi handle.
    @discardableResult
    private func renewConnections(_ old: HostConnections, of transfer: Transfer) -> Bool {
        guard connections.isCurrent(old, of: transfer) else { return false }
        if old.multi === multis.last {
            guard let made = try? MultiHandle(old.multi.number &+ 1, on: watch) else { return false }
            multis.append(made)
            limitConnections()
            connections.forgetIdleHosts(except: [old.multi, made])
        }
        connections.renew(old, of: transfer, on: multis[multis.count - 1])
        let running = transfers.values.filter { $0.connections === old }.sorted { $0.number < $1.number }
        for transfer in running {
            // libcurl could still choose an old connection for an exchange that has none.
            if transfer.mayHaveConnection, let handle = transfer.handle {
                _ = handle.set(PATCHBAY_CURLOPT_FORBID_REUSE, 1) && handle.set(PATCHBAY_CURLOPT_FRESH_CONNECT, 1)
            } else {
                runAgain(transfer)
            }
        }
        return true
    }

    /// Closes the multi handles that no host and no exchange uses.
    func closeUnused() {
        for index in multis.indices.reversed() where isKnownUniquelyReferenced(&multis[index]) {
            multis.remove(at: index)
        }
    }
}
