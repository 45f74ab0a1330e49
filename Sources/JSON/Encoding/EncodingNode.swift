package import PatchbayPlatform

/// A value during its encoding. Containers can be filled in any order, so the tape is written at the end.
package final class EncodingNode {
    package enum Content {
        case nothing
        case null
        /// An optional member that is nil, which JSON leaves out.
        case absent
        case value(JSON)
        case int(Int64)
        case uint(UInt64)
        case double(Double)
        /// A number and its text, which has more digits than the Double.
        case digits(Double, String)
        case bool(Bool)
        case string(String)
        // In a tree for other formats than JSON; a `set` has no order in any format.
        case date(Date)
        case data(Data)
        case set([EncodingNode])
        case array([EncodingNode])
        /// - Parameter places: the index of each key; empty for few members.
        case object([(key: String, node: EncodingNode)], places: [String: Int])
        /// The reason that there is no value, kept because making a container cannot throw. Indirect, so that other
        /// nodes stay small.
        indirect case failed(EncodingError)
    }

    package internal(set) var content: Content
    /// The index of the first member or element that has no order of its own, because a dictionary or a set encoded it;
    /// `Int.max` if there is none.
    var firstUnordered = Int.max

    package init(_ content: Content = .nothing) { self.content = content }

    /// The members of an object; nil for any other value.
    package var members: [(key: String, node: EncodingNode)]? {
        if case .object(let members, _) = content { members } else { nil }
    }

    var isEmpty: Bool {
        if case .nothing = content { true } else { false }
    }

    var elementCount: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }

    /// Notes that the members that follow have no order of their own.
    func expectDictionary() {
        if case .object(let members, _) = content { firstUnordered = min(firstUnordered, members.count) }
    }

    /// Makes the node a single value. A later value replaces an earlier one.
    /// - Returns: false for a container, whose content would be lost.
    func set(_ value: Content) -> Bool {
        switch content {
        case .array, .set, .object, .failed: return false
        default:
            content = value
            return true
        }
    }

    /// Makes the node an array.
    /// - Returns: false for another kind of node, whose content would be lost.
    func becomeArray() -> Bool {
        if case .nothing = content { content = .array([]) }
        return if case .array = content { true } else { false }
    }

    /// Makes the node an object.
    /// - Returns: false for another kind of node, whose content would be lost.
    func becomeObject() -> Bool {
        if case .nothing = content { content = .object([], places: [:]) }
        return if case .object = content { true } else { false }
    }

    /// Replaces the content with a failure, unless there is one already.
    func fail(_ error: @autoclosure () -> EncodingError) {
        if case .failed = content { return }
        content = .failed(error())
    }

    func throwFailure() throws {
        if case .failed(let error) = content { throw error }
    }

    /// - Throws: the failure of an array that failed.
    func append(_ node: EncodingNode) throws {
        guard case .array(var nodes) = content else { return try throwFailure() }
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
    }

    /// - Throws: the failure of an object that failed.
    func set(_ node: EncodingNode, forKey key: String) throws {
        guard case .object(var members, var places) = content else { return try throwFailure() }
        content = .nothing
        if let place = Self.place(of: key, members, places) {
            members[place].node = node
        } else {
            members.append((key, node))
            if !places.isEmpty {
                places[key] = members.count - 1
            } else if members.count > Self.fewMembers {
                for (place, member) in members.enumerated() { places[member.key] = place }
            }
        }
        content = .object(members, places: places)
    }

    func member(_ key: String) -> EncodingNode? {
        guard case .object(let members, let places) = content else { return nil }
        return Self.place(of: key, members, places).map { members[$0].node }
    }

    private static func place(
        of key: String, _ members: [(key: String, node: EncodingNode)], _ places: [String: Int]
    ) -> Int? {
        places.isEmpty ? members.firstIndex { $0.key == key } : places[key]
    }

    /// Up to this number, a linear search is faster than hashing.
    private static let fewMembers = 8

    /// Appends the compact text. The encoder has limited the depth.
    func write(to bytes: inout [UInt8]) throws {
        switch content {
        case .failed(let error): throw error
        case .nothing: bytes += [Tag.object, Tag.endObject]
        case .value(let json): json.serialize(into: &bytes)
        case .null, .absent, .date, .data, .set: bytes += "null".utf8
        case .int(let value): bytes += value.description.utf8
        case .uint(let value): bytes += value.description.utf8
        case .double(let value): bytes += (value.isFinite ? value.description : "null").utf8
        case .digits(let value, let text):
            bytes += (text.utf8.count <= LongNumber.longestText ? text : value.description).utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .string(let value): TapeWriter.append(value, to: &bytes)
        case .array(let nodes):
            bytes.append(Tag.array)
            for (position, node) in nodes.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                try node.write(to: &bytes)
            }
            bytes.append(Tag.endArray)
        case .object(let members, _):
            bytes.append(Tag.object)
            for (position, member) in members.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                TapeWriter.append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try member.node.write(to: &bytes)
            }
            bytes.append(Tag.endObject)
        }
    }

    /// Writes the tape. The encoder has limited the depth.
    func write(to builder: inout TapeBuilder) throws {
        switch content {
        case .failed(let error): throw error
        case .nothing: builder.close(builder.open(Tag.object), count: 0)
        case .value(let json): builder.copy(json.tape, at: json.index)
        case .null, .absent, .set: builder.null()
        case .date(let value): builder.double(value.timeIntervalSinceReferenceDate)
        case .data(let value): builder.string(value.base64EncodedString())
        case .int(let value): builder.int(value)
        case .uint(let value): builder.uint(value)
        case .double(let value): builder.double(value)
        case .digits(let value, let text): builder.double(value, digits: text)
        case .bool(let value): builder.bool(value)
        case .string(let value): builder.string(value)
        case .array(let nodes):
            let start = builder.open(Tag.array)
            for node in nodes { try node.write(to: &builder) }
            builder.close(start, count: nodes.count)
        case .object(let members, _):
            let start = builder.open(Tag.object)
            var count = 0
            for member in members {
                if case .absent = member.node.content { continue }
                builder.string(member.key)
                try member.node.write(to: &builder)
                count += 1
            }
            builder.close(start, count: count)
        }
    }
}
