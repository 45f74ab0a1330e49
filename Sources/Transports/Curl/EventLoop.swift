import CPatchbayCurl
import PatchbayManager

/// The loop that drives every transfer of one transport; made and used on its own thread only.
final class EventLoop {
    private let queue: CommandQueue
    private let configuration: CurlTransport.Configuration
    private var transfers: [Int: Transfer] = [:]
    private var numbers: [UnsafeMutableRawPointer: Int] = [:]
    private var lastNumber = 0
    private var isEnding = false

    private static let longestWaitMilliseconds: Int32 = 60_000

    init(_ queue: CommandQueue, _ configuration: CurlTransport.Configuration) {
        self.queue = queue
        self.configuration = configuration
        let limits = [
            (PATCHBAY_CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.maximumConnections),
            (PATCHBAY_CURLMOPT_MAXCONNECTS, configuration.maximumConnections),
            (PATCHBAY_CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maximumConnectionsPerHost),
        ]
        for (option, limit) in limits { _ = patchbay_curl_multi_set(queue.multi, option, Int64(max(limit, 1))) }
    }

    func run() {
        while true {
            for command in queue.take() { execute(command) }
            let performed = patchbay_curl_multi_perform(queue.multi)
            finishCompleted()
            if isEnding, transfers.isEmpty { break }
            let waited = patchbay_curl_multi_wait(queue.multi, Self.longestWaitMilliseconds)
            if performed != 0 || waited != 0 { failAll() }
        }
    }

    private func execute(_ command: CommandQueue.Command) {
        switch command {
        case .start(let submission): start(submission)
        case .stop(let number):
            guard let transfer = transfers[number] else { return }
            finish(transfer, .failure(.stopped))
        case .resume(let number):
            guard let transfer = transfers[number] else { return }
            let code = transfer.handle.resume()
            if code != PATCHBAY_CURLE_OK { finish(transfer, transfer.result(code)) }
        case .end: isEnding = true
        }
    }

    private func start(_ submission: Submission) {
        guard !submission.isStopped else { return submission.continuation.resume(returning: .failure(.stopped)) }
        guard let handle = EasyHandle() else {
            return submission.continuation.resume(returning: .failure(.noHandle))
        }
        lastNumber += 1
        let number = lastNumber
        let transfer = Transfer(number, submission, handle, queue)
        transfers[number] = transfer
        numbers[handle.pointer] = number
        do throws(TransportFailure) {
            try transfer.prepare(configuration)
            guard patchbay_curl_multi_add(queue.multi, handle.pointer) == 0 else { throw .noHandle }
        } catch {
            return finish(transfer, .failure(error))
        }
        for signal in [submission.receiver.stop, submission.cancelled] {
            signal.whenFired { [weak queue] in queue?.send(.stop(number)) }
        }
    }

    private func finishCompleted() {
        var code: Int32 = 0
        while let pointer = patchbay_curl_multi_next(queue.multi, &code) {
            guard let number = numbers[pointer], let transfer = transfers[number] else { continue }
            finish(transfer, transfer.result(patchbay_curl_code(UInt32(clamping: code))))
        }
    }

    private func finish(_ transfer: Transfer, _ result: Result<ExchangeTimings, TransportFailure>) {
        transfers[transfer.number] = nil
        numbers[transfer.handle.pointer] = nil
        _ = patchbay_curl_multi_remove(queue.multi, transfer.handle.pointer)
        transfer.close()
        transfer.submission.continuation.resume(returning: result)
    }

    /// libcurl cannot go on, which its documentation says of bugs and lost memory only.
    private func failAll() {
        for transfer in transfers.values {
            finish(transfer, .failure(TransportFailure(.other, "libcurl could not carry on with its transfers")))
        }
    }
}
