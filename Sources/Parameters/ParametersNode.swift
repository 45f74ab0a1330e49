/// A value being encoded: its containers may be filled in any order.
final class ParametersNode {
    enum Content {
        case nothing
        case value(Parameters)
        case array([ParametersNode])
        case object([(name: String, node: ParametersNode)], places: [String: Int])
        /// Why there is no value; kept here, as to make a container cannot throw.
        case failed(EncodingError)
    }

    var content = Content.nothing
    /// As that of the member that this becomes.
    private var isLeftOut = false

    /// What was encoded; an empty object where nothing was. The encoder has bounded the depth.
    var parameters: Parameters {
        get throws {
            switch content {
            case .nothing: return .object([])
            case .value(let value): return value
            case .array(let nodes): return .array(try nodes.map { try $0.parameters })
            case .object(let members, _):
                return .object(
                    try members.map { name, node in
                        var member = Parameters.Member(name, try node.parameters)
                        member.isLeftOut = node.isLeftOut
                        return member
                    })
            case .failed(let error): throw error
            }
        }
    }

    /// Whether nothing was encoded.
    var isEmpty: Bool {
        if case .nothing = content { true } else { false }
    }

    var elementCount: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }

    /// Makes the node a single value, the last one given.
    /// - Returns: false for a node that is a container: what is in it would be lost.
    @discardableResult
    func set(_ value: Parameters) -> Bool {
        switch content {
        case .nothing, .value:
            content = .value(value)
            return true
        case .array, .object, .failed: return false
        }
    }

    func setNil(isLeftOut: Bool) {
        set(.null)
        self.isLeftOut = isLeftOut
    }

    /// Makes the node an array, if it is none yet.
    /// - Returns: false for a node that is something else already, which would be lost.
    func becomeArray() -> Bool {
        switch content {
        case .nothing:
            content = .array([])
            return true
        case .array: return true
        case .value, .object, .failed: return false
        }
    }

    /// Makes the node an object, if it is none yet.
    /// - Returns: false for a node that is something else already, which would be lost.
    func becomeObject() -> Bool {
        switch content {
        case .nothing:
            content = .object([], places: [:])
            return true
        case .object: return true
        case .value, .array, .failed: return false
        }
    }

    /// The first failure stays. From now on new elements and members belong to nothing.
    func fail(_ error: EncodingError) {
        if case .failed = content { return }
        content = .failed(error)
    }

    func appendElement() -> ParametersNode {
        let node = ParametersNode()
        guard case .array(var nodes) = content else { return node }
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
        return node
    }

    func setMember(_ name: String) -> ParametersNode {
        let node = ParametersNode()
        guard case .object(var members, var places) = content else { return node }
        content = .nothing
        if let place = places[name] {
            members[place].node = node
        } else {
            places[name] = members.count
            members.append((name, node))
        }
        content = .object(members, places: places)
        return node
    }

    func member(_ name: String) -> ParametersNode {
        guard case .object(let members, let places) = content, let place = places[name] else { return setMember(name) }
        return members[place].node
    }
}
