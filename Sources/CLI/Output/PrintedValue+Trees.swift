import Patchbay
import PatchbayPlatform

/// Values that are trees, as JSON.
extension PrintedValue {
    /// The members of RFC 9457 that the problem has, and then its extensions.
    static func json(_ problem: Problem) -> JSON {
        var members: [(String, JSON)] = [("type", JSON(problem.type))]
        if let title = problem.title { members.append(("title", JSON(title))) }
        if let status = problem.status { members.append(("status", JSON(status))) }
        if let detail = problem.detail { members.append(("detail", JSON(detail))) }
        if let instance = problem.instance { members.append(("instance", JSON(instance))) }
        return .object(members + (problem.extensions.object.map(Array.init) ?? []).map { ($0.key, $0.value) })
    }

    /// Dictionaries by sorted key; dates in ISO 8601; data as `{"base64": …}`; infinity and NaN as text. The serializer has
    /// limited the depth.
    static func json(_ list: PropertyList) -> JSON {
        switch list {
        case .string(let text): JSON(text)
        case .integer(let number): JSON(number)
        case .unsigned(let number): JSON(number)
        case .real(let number): number.isFinite ? JSON(number) : JSON("\(number)")
        case .bool(let flag): JSON(flag)
        case .date(let date): JSON(text(date))
        case .data(let data): ["base64": JSON(data.base64EncodedString())]
        case .array(let elements): .array(elements.map(json))
        case .dictionary(let members): .object(members.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
        }
    }

    /// `name`, `attributes` and `contents`: text as strings, elements as objects. Elements deeper than 256 levels are XML text.
    static func json(_ element: XMLTree.Element, depth: Int = 0) -> JSON {
        guard depth < 256 else { return JSON(element.description) }
        return [
            "name": JSON(element.name),
            "attributes": .object(element.attributes.map { ($0.name, JSON($0.value)) }),
            "contents": .array(
                element.contents.map { content in
                    switch content {
                    case .element(let child): json(child, depth: depth + 1)
                    case .text(let text), .cdata(let text): JSON(text)
                    case .comment(let text): ["comment": JSON(text)]
                    case .processingInstruction(let target, let data): ["target": JSON(target), "data": JSON(data)]
                    }
                }),
        ]
    }

    /// An object with the names of the columns, each once; an array where there is no header row.
    static func json(_ row: CSVRow) -> JSON {
        guard let names = row.names else { return .array(row.map { JSON($0) }) }
        var seen: Set<String> = []
        return .object(zip(names, row).filter { seen.insert($0.0).inserted }.map { ($0, JSON($1)) })
    }

    /// The data as it is, a text, with the type and the id that count for it.
    static func json(_ event: ServerSentEvent) -> JSON {
        ["type": JSON(event.type), "data": JSON(event.data), "lastEventID": JSON(event.lastEventID)]
    }

    /// The fields as a list of names and values, and the bytes.
    static func json(_ part: ResponsePart) -> JSON {
        [
            "fields": .array(part.fields.map { ["name": JSON($0.name), "value": JSON($0.value)] }),
            "body": ["base64": JSON(part.body.data.base64EncodedString())],
        ]
    }

    /// What the image is, without its pixels.
    static func json(_ image: DecodedImage) -> JSON {
        [
            "format": JSON(image.format.rawValue), "width": JSON(image.width), "height": JSON(image.height),
            "orientation": JSON(image.orientation.rawValue), "frames": JSON(image.frameCount),
        ]
    }

    /// ISO 8601 for the years 1 to 9999, which its formatter can write; else the seconds since 2001.
    private static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds > -63_000_000_000, seconds < 252_000_000_000 else { return "\(seconds) s since 2001" }
        return date.formatted(.iso8601)
    }
}
