public import PatchbayPlatform
import PatchbayRegistry

/// Reads a form, or bytes in memory, piece by piece. Of a form, only the parts given as data are in memory.
final class MultipartSource: ReadySource {
    private struct Place: Sendable {
        var segment = 0
        /// The number of bytes read from the current segment, if it is data.
        var offset = 0
        var source: (any RequestBodySource)?
        /// Checks the length of the source; nil if no length was announced.
        var guarded: ExactLength?
        var earliest: Moment?
        /// The sources of the segments before, which `rewind` asks whether they can be read again. Not those of files,
        /// which can, and which would stay open.
        var past: [(segment: Int, source: any RequestBodySource)] = []

        mutating func read(into space: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
            guard let source else { return .end() }
            return try guarded?.read(into: space, from: source.checkedRead) ?? source.checkedRead(into: space)
        }

        mutating func goOn() {
            if let source, !(source is FileSource) { past.append((segment, source)) }
            segment += 1
            offset = 0
            (source, guarded) = (nil, nil)
        }
    }

    let length: Int64?
    private let segments: [MultipartPart.Body]
    private let pace: (bytes: Int, delay: Duration)?
    /// The position in the form. Only the reader changes the position. The lock is never held while a source is read.
    private let place = Guarded(Place())

    init(_ form: MultipartFormData) {
        var segments: [MultipartPart.Body] = []
        for part in form.parts {
            let line = (segments.isEmpty ? "--" : "\r\n--") + form.boundary + "\r\n"
            segments += [.data(Data(line.utf8) + part.head), part.body]
        }
        segments.append(.data(Data(((segments.isEmpty ? "--" : "\r\n--") + form.boundary + "--\r\n").utf8)))
        self.segments = segments
        pace = form.pace
        length = segments.reduce(0) { total, segment in
            let length: Int64? =
                switch segment {
                case .data(let data): Int64(data.count)
                case .source(let length, _): length
                }
            guard let total, let (sum, overflows) = length.map(total.addingReportingOverflow) else { return nil }
            return overflows ? nil : sum
        }
    }

    init(_ data: Data) { (segments, pace, length) = ([.data(data)], nil, Int64(data.count)) }

    /// Whether all parts are in memory.
    var neverBlocks: Bool {
        segments.allSatisfy { segment in
            if case .data = segment { true } else { false }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        var place = place.withLock { $0 }
        if let earliest = place.earliest, earliest > .now { return .wait(Self.signal(at: earliest)) }
        let space = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(max(pace?.bytes ?? .max, 1)))
        let piece = try next(&place, space)
        if case .bytes = piece, let pace { place.earliest = .now + pace.delay.waitable }
        self.place.replace(by: place)
        return piece
    }

    func rewind() throws {
        let place = place.withLock { $0 }
        for (segment, source) in place.past + (place.source.map { [(place.segment, $0)] } ?? []) {
            do {
                try source.rewind()
            } catch {
                // A part can be made of another source each time. A sequence that was sent has no other one.
                let isSent = (error as? ContentFailure)?.code == .alreadySent
                guard !isSent, case .source(_, let make) = segments[segment], try make() !== source else { throw error }
            }
        }
        self.place.replace(by: Place())
    }

    private func next(_ place: inout Place, _ space: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        while place.segment < segments.count {
            switch segments[place.segment] {
            case .data(let data):
                let rest = data.dropFirst(place.offset).prefix(space.count)
                guard !rest.isEmpty else {
                    place.goOn()
                    continue
                }
                space.copyBytes(from: rest)
                place.offset += rest.count
                return .bytes(rest.count)
            case .source(let length, let make):
                if place.source == nil {
                    place.source = try make()
                    place.guarded = length.map { ExactLength($0, of: "a part of the form") }
                }
                let piece = try place.read(into: space)
                guard case .end = piece else { return piece }
                place.goOn()
            }
        }
        return .end()
    }

    private static func signal(at moment: Moment) -> OneShot {
        let signal = OneShot(promisesBytes: true)
        Task {
            try? await Task.sleep(until: moment.instant, clock: .continuous)
            signal.fire()
        }
        return signal
    }
}

/// One part of a form: its checked header fields, and the source of its bytes.
struct MultipartPart: Sendable {
    enum Body: Sendable {
        case data(Data)
        case source(length: Int64?, @Sendable () throws -> any RequestBodySource)

        /// The body of written content.
        init(_ written: WrittenContent) {
            self =
                if case .data(let data)? = try? written.makeBody() {
                    .data(data)
                } else {
                    .source(length: nil) { try written.makeBody().reader }
                }
        }
    }

    let head: Data
    let body: Body
    /// The content that the call writes; nil for a part that needs no registry.
    let unwritten: UnwrittenContent?
    /// The fields of a part with `unwritten` content; empty for other parts.
    let fields: HeaderFields

    private static let maximumHeadBytes = 16_384

    init(_ name: String, _ fileName: String?, _ type: String?, _ body: Body) throws(ContentFailure) {
        var disposition = "form-data; name=\"\(try Self.quotable(name))\""
        if let fileName { disposition += "; filename=\"\(try Self.quotable(fileName))\"" }
        var fields: HeaderFields = ["Content-Disposition": disposition]
        fields["Content-Type"] = type ?? fileName.map(FileMediaType.ofFile)
        try self.init(fields, body)
    }

    /// A part with known bytes, or with bytes that are made each time the form is sent.
    init(_ fields: HeaderFields, _ content: RequestContent) throws(ContentFailure) {
        let body: Body
        if let data = content.data {
            body = .data(data)
        } else if let unwritten = content.unwritten {
            let type = fields["Content-Type"]
            body = .source(length: nil) { try unwritten.bodyOutsideCall(type).reader }
        } else {
            body = .source(length: nil) { try content.makeBody().reader }
        }
        try self.init(fields, body, unwritten: content.unwritten)
    }

    init(_ fields: HeaderFields, _ body: Body, unwritten: UnwrittenContent? = nil) throws(ContentFailure) {
        do throws(Refusal) {
            try RequestCheck.check(fields)
        } catch {
            throw ContentFailure(.invalidHeader, "in a part of the form, \(error.reason)")
        }
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        guard lines.utf8.count <= Self.maximumHeadBytes else {
            throw ContentFailure(
                .headersTooLarge, "the header of a part of the form is larger than \(Self.maximumHeadBytes) bytes")
        }
        head = Data(lines.utf8)
        self.body = body
        (self.unwritten, self.fields) = (unwritten, unwritten == nil ? [:] : fields)
    }

    /// Returns a name that can stand in quotation marks (WHATWG HTML, section 4.10.21.8, multipart/form-data): a
    /// quotation mark becomes `%22`. A line break, which would become `%0D%0A`, is refused: no form control can have a
    /// line break in its name.
    private static func quotable(_ name: String) throws(ContentFailure) -> String {
        guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ContentFailure(
                .invalidName, "the name of a part or of its file has a line break or a control character in it")
        }
        return name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "%22")
    }
}

extension MultipartFormData {
    /// Writes the form to a new file as it would be sent, for a later upload from that file.
    ///
    /// Send the file with `contentType`. If writing fails, the file is removed.
    /// - Throws: `SessionError`; code `invalidRequest` if the form cannot be sent, `file` if the file exists or cannot
    ///   be written, `unreadableContent` if a part cannot be read, `cancelled`.
    public nonisolated(nonsending) func write(to file: URL) async throws(SessionError) {
        let source: MultipartSource
        do throws(ContentFailure) {
            source = try makeSource()
        } catch {
            throw SessionError(.invalidRequest, error.reason)
        }
        guard file.isFileURL else { throw SessionError(.file, "the URL to write a form to is no file URL") }
        try await concurrently { () async throws(SessionError) in try await Self.write(source, to: file) }
    }

    private static func write(_ source: MultipartSource, to file: URL) async throws(SessionError) {
        let path = file.path(percentEncoded: false)
        let descriptor = SystemCall.create(path)
        guard descriptor >= 0 else { throw failure(file, errno) }
        var isComplete = false
        defer {
            close(descriptor)
            if !isComplete { unlink(path) }
        }
        var space = [UInt8](repeating: 0, count: 65_536)
        while !Task.isCancelled {
            let piece: RequestBodyPiece
            do {
                piece = try space.withUnsafeMutableBytes { try source.read(into: $0) }
            } catch is CancellationError {
                throw SessionError(Timeouts.End.cancelled)
            } catch {
                throw SessionError(unreadableContent: error)
            }
            switch piece {
            case .end:
                isComplete = true
                return
            case .wait(let signal): await signal.fired()
            case .bytes(let count):
                let code = space[..<count].withUnsafeBytes { SystemCall.writeAll(descriptor, $0) }
                guard code == 0 else { throw failure(file, code) }
            }
        }
        throw SessionError(Timeouts.End.cancelled)
    }

    private static func failure(_ file: URL, _ code: Int32) -> SessionError {
        let name = file.lastPathComponent
        let reason =
            code == EEXIST
            ? "there is a file \(name) already" : "\(name) cannot be written (\(SystemError.words(code)))"
        return SessionError(.file, reason, cause: FileFailure(name: name, .system(code)))
    }
}
