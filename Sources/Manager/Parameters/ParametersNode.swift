/// A value being encoded: its containers may be filled in any order.
final class ParametersNode {
    private enum Content {
        case nothing
        case value(Parameters)
        case array([ParametersNode])
        case object([(name: String, node: ParametersNode)])
    }

    private var content = Content.nothing
    /// As that of the member that this becomes.
    private var isLeftOut = false

    /// What was encoded; an empty object where nothing was.
    var parameters: Parameters {
        switch content {
        case .nothing: .object([])
        case .value(let value): value
        case .array(let nodes): .array(nodes.map(\.parameters))
        case .object(let members):
            .object(
                members.map { name, node in
                    var member = Parameters.Member(name, node.parameters)
                    member.isLeftOut = node.isLeftOut
                    return member
                })
        }
    }

    var elementCount: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }

    func set(_ value: Parameters) { content = .value(value) }

    func setNil(isLeftOut: Bool) {
        content = .value(.null)
        self.isLeftOut = isLeftOut
    }

    func becomeArray() {
        if case .array = content { return }
        content = .array([])
    }

    func becomeObject() {
        if case .object = content { return }
        content = .object([])
    }

    func appendElement() -> ParametersNode {
        let node = ParametersNode()
        guard case .array(var nodes) = content else { return node }
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
        return node
    }

    /// A new member, in the place of one with the same name.
    func setMember(_ name: String) -> ParametersNode {
        let node = ParametersNode()
        guard case .object(var members) = content else { return node }
        content = .nothing
        if let place = members.firstIndex(where: { $0.name == name }) {
            members[place].node = node
        } else {
            members.append((name, node))
        }
        content = .object(members)
        return node
    }
}
