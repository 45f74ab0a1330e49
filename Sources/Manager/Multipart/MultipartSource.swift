import PatchbayPlatform
import PatchbayRegistry

/// Gives a form piece by piece; no more of it is in memory than was put there.
final class MultipartSource: RequestBodySource {
    private struct Place: Sendable {
        var segment = 0
        var offset: Int64 = 0
        var source: (any RequestBodySource)?
        var earliest: ContinuousClock.Instant?

        mutating func goOn() {
            segment += 1
            offset = 0
            source = nil
        }
    }

    let length: Int64?
    private let segments: [MultipartPart.Body]
    private let throttle: MultipartFormData.Throttle?
    /// Only the one who reads changes it; the lock is never held while a source is asked.
    private let place = Guarded(Place())

    init(_ form: MultipartFormData) {
        var segments: [MultipartPart.Body] = []
        for part in form.parts {
            let line = (segments.isEmpty ? "--" : "\r\n--") + form.boundary + "\r\n"
            segments += [.data(Data(line.utf8) + part.head), part.body]
        }
        segments.append(.data(Data(((segments.isEmpty ? "--" : "\r\n--") + form.boundary + "--\r\n").utf8)))
        self.segments = segments
        throttle = form.throttle
        length = segments.reduce(0) { total, segment in
            guard let total else { return nil }
            switch segment {
            case .data(let data): return total + Int64(data.count)
            case .source(let length, _):
                let (sum, overflows) = total.addingReportingOverflow(length ?? 0)
                return length == nil || overflows ? nil : sum
            }
        }
    }

    /// Whether all of it is in memory, so that no read can block.
    var isAtHand: Bool {
        segments.allSatisfy { segment in
            if case .data = segment { true } else { false }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        var place = place.withLock { $0 }
        if let earliest = place.earliest, earliest > .now { return .wait(Self.signal(at: earliest)) }
        let space = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(max(throttle?.bytes ?? .max, 1)))
        let piece = try next(&place, space)
        if case .bytes = piece, let throttle { place.earliest = .now + throttle.delay.waitable }
        self.place.withLock { [place] in $0 = place }
        return piece
    }

    func rewind() {
        place.withLock { $0 = Place() }
    }

    private func next(_ place: inout Place, _ space: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        while place.segment < segments.count {
            switch segments[place.segment] {
            case .data(let data):
                let rest = data.dropFirst(Int(place.offset)).prefix(space.count)
                guard !rest.isEmpty else {
                    place.goOn()
                    continue
                }
                space.copyBytes(from: rest)
                place.offset += Int64(rest.count)
                return .bytes(rest.count)
            case .source(let length, let make):
                let source = try place.source ?? make()
                place.source = source
                let piece = try Self.read(source, length, at: place.offset, into: space)
                guard case .end = piece else {
                    if case .bytes(let count) = piece { place.offset += Int64(count) }
                    return piece
                }
                place.goOn()
            }
        }
        return .end
    }

    /// Reads no more than the announced length; a source that then has no end, or ends before, is refused.
    private static func read(
        _ source: any RequestBodySource, _ length: Int64?, at offset: Int64, into space: UnsafeMutableRawBufferPointer
    ) throws -> RequestBodyPiece {
        guard let length else { return try source.read(into: space) }
        let rest = Int(clamping: length - offset)
        if rest == 0 {
            // There is room for one more byte than may come.
            let piece = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try source.read(into: $0) }
            if case .bytes = piece { throw wrongLength }
            return piece
        }
        let piece = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(rest)))
        if case .end = piece { throw wrongLength }
        return piece
    }

    private static let wrongLength = ContentFailure(
        .wrongLength, "a part of the form has more or fewer bytes than were announced")

    private static func signal(at instant: ContinuousClock.Instant) -> StopSignal {
        let signal = StopSignal()
        Task {
            try? await Task.sleep(until: instant, clock: .continuous)
            signal.fire()
        }
        return signal
    }
}
