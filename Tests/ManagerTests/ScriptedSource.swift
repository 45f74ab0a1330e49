import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// A source of a request body that follows a script.
final class ScriptedSource: RequestBodySource {
    enum Step: Sendable {
        case text(String)
        /// Nothing, until a moment later.
        case pause
        case failure
    }

    struct Failure: Error {}

    let length: Int64?
    private let steps: [Step]
    private let rewinds: Bool
    private let position = Guarded(0)

    init(_ steps: [Step], length: Int64? = nil, rewinds: Bool = true) {
        self.steps = steps
        self.length = length
        self.rewinds = rewinds
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let step = position.withLock { position -> Step? in
            defer { position += 1 }
            return position < steps.count ? steps[position] : nil
        }
        switch step {
        case nil: return .end()
        case .failure: throw Failure()
        case .pause:
            let signal = OneShot()
            Task { signal.fire() }
            return .wait(signal)
        case .text(let text):
            buffer.copyBytes(from: text.utf8)
            return .bytes(text.utf8.count)
        }
    }

    func rewind() throws {
        guard rewinds else { throw Failure() }
        position.withLock { $0 = 0 }
    }
}

/// A source that writes nothing, and says at each read that it wrote this many bytes.
final class ClaimingSource: RequestBodySource {
    let length: Int64? = nil
    private let count: Int

    init(_ count: Int) { self.count = count }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece { .bytes(count) }

    func rewind() {}
}

extension MultipartFormData {
    /// Appends the bytes of a source as a part without a file name.
    mutating func append(
        length: Int64?, name: String, source make: @escaping @Sendable () throws -> any RequestBodySource
    ) {
        append(length: length, name: name, fileName: nil, type: nil, source: make)
    }
}
