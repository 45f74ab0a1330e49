import PatchbayPlatform
import PatchbayRegistry

/// One run over the values of one type that a serializer writes.
struct WritingCheck<Value: Encodable & Equatable & Sendable>: Sendable {
    /// Reads the value back from the bytes; nil for a value of another type.
    typealias Reader = @Sendable (Data) throws -> Value?

    private let serializer: any RequestSerializer
    private let type: MediaType
    private let findings: Findings
    private let readers: [Reader]

    /// - Parameter more: readers in addition to the readers of a whole body.
    init(_ serializer: some RequestSerializer, _ type: MediaType, _ findings: Findings, _ more: [Reader] = []) {
        (self.serializer, self.type, self.findings) = (serializer, type, findings)
        readers = Self.readers(of: serializer, type) + more
        if readers.isEmpty, serializer is any ResponseSerializer {
            findings.add("it reads responses, and none as \(Value.self): nothing was read back")
        }
    }

    func check(_ value: Value, _ name: String) async {
        if serializer.declineReason(writing: value, as: type) != nil {
            return findings.add("\(name): to be written, and declined")
        }
        let bytes: Data
        do {
            bytes = try serializer.write(value, as: type)
        } catch {
            return findings.add("\(name): to be written, and refused: \(error)")
        }
        guard isWritten(value, bytes) else { return findings.add("\(name): written twice, and to different bytes") }
        let agreed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { isWritten(value, bytes) } }
            return await group.allSatisfy { $0 }
        }
        guard agreed else { return findings.add("\(name): written by tasks at the same time, and to different bytes") }
        for reader in readers {
            do {
                guard let back = try reader(bytes), back == value else {
                    return findings.add("\(name): read back as another value")
                }
                guard isWritten(back, bytes) else {
                    return findings.add("\(name): read back and written again, and to different bytes")
                }
            } catch {
                return findings.add("\(name): not read back: \(error)")
            }
        }
    }

    private func isWritten(_ value: Value, _ bytes: Data) -> Bool {
        (try? serializer.write(value, as: type)) == bytes
    }
}

extension WritingCheck {
    func check(refused value: any Encodable & Sendable, _ name: String) {
        guard serializer.declineReason(writing: value, as: type) == nil else {
            return findings.add("\(name): to be refused, and declined")
        }
        checkRefusal(of: value, name) { try serializer.write(value, as: type) }
    }

    func checkRefusal(of value: any Encodable, _ name: String, by write: () throws -> Data) {
        var said: [[String: String]] = []
        for _ in 0..<2 {
            do {
                _ = try write()
                return findings.add("\(name): to be refused, and written")
            } catch {
                said.append(QuoteSearch.texts(of: error))
            }
        }
        guard Set(said.map { $0["print"] }).count == 1 else {
            return findings.add("\(name): refused twice, and with different errors")
        }
        if EncodedTexts(of: value).areQuoted(in: said.flatMap(\.values)) {
            findings.add("\(name): quoted by the error")
        }
    }

    func check(declined value: any Encodable & Sendable, _ name: String) {
        let reasons = (0..<2).map { _ in serializer.declineReason(writing: value, as: type) }
        let said = reasons.compactMap { $0 }
        guard said.count == reasons.count else { return findings.add("\(name): to be declined, and not declined") }
        guard Set(said).count == 1 else { return findings.add("\(name): declined twice, and for different reasons") }
        if EncodedTexts(of: value).areQuoted(in: said) { findings.add("\(name): quoted by the reason to decline") }
    }
}

extension WritingCheck {
    /// Each way to read a whole body as the value.
    private static func readers(of serializer: some Serializer, _ type: MediaType) -> [Reader] {
        let head = head(of: type)
        var readers: [Reader] = []
        if let serializer = serializer as? any ResponseSerializer<Value> {
            readers.append { try serializer.serialize(ResponseBody(Array($0)), head) }
        }
        if let serializer = serializer as? any DecodingSerializer,
            let type = Value.self as? any (Decodable & Sendable).Type
        {
            readers.append { try serializer.decode(type, from: ResponseBody(Array($0)), head) as? Value }
        }
        return readers
    }

    /// Each way to read the elements one by one.
    static func elementReaders<Element: Sendable>(of serializer: some Serializer, _ type: MediaType) -> [Reader]
    where Value == [Element] {
        let head = head(of: type)
        var readers: [Reader] = []
        if let serializer = serializer as? any StreamingSerializer<Element> {
            readers.append { try serializer.elements(of: $0, head) }
        }
        if let serializer = serializer as? any ElementDecodingSerializer,
            let type = Element.self as? any (Decodable & Sendable).Type
        {
            readers.append { try serializer.elements(type, of: $0, head) as? [Element] }
        }
        return readers
    }

    private static func head(of type: MediaType) -> ResponseHead {
        ConformanceSample("", [], contentType: type.description).head
    }
}

extension StreamingSerializer {
    fileprivate func elements(of bytes: Data, _ head: ResponseHead) throws -> [Element] {
        var parser = try makeParser(head, maximumElementBytes: .max)
        return try parser.elements(of: ResponseBody(Array(bytes)))
    }
}

extension ElementDecodingSerializer {
    fileprivate func elements<Element: Decodable & Sendable>(
        _ type: Element.Type, of bytes: Data, _ head: ResponseHead
    ) throws -> [Element] {
        var parser = try makeParser(of: type, head, maximumElementBytes: .max)
        return try parser.elements(of: ResponseBody(Array(bytes)))
    }
}
