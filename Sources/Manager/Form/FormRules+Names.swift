import PatchbayJSON

extension FormRules {
    /// How the name of an array's element is made of the array's name.
    public enum ArrayRule: Sendable {
        /// `a[]`
        case brackets
        /// `a`
        case noBrackets
        /// `a[0]`
        case indexInBrackets
        case custom(@Sendable (_ name: String, _ index: Int) -> String)

        func name(_ array: String, _ index: Int) -> String {
            switch self {
            case .brackets: array + "[]"
            case .noBrackets: array
            case .indexInBrackets: array + "[\(index)]"
            case .custom(let name): name(array, index)
            }
        }
    }

    /// How the name of a member is appended to the name of the object it is in.
    public enum MemberRule: Sendable {
        /// `[member]`
        case brackets
        /// `.member`
        case dots
        case custom(@Sendable (_ member: String) -> String)

        func suffix(_ member: String) -> String {
            switch self {
            case .brackets: "[\(member)]"
            case .dots: ".\(member)"
            case .custom(let suffix): suffix(member)
            }
        }
    }

    /// How the name of a member is spelt.
    public enum KeyRule: Sendable {
        case asIs
        /// `someURLName` becomes `some_url_name`.
        case snakeCase
        /// `someURLName` becomes `some-url-name`.
        case kebabCase
        /// `someName` becomes `SomeName`.
        case capitalized
        case uppercased
        case lowercased
        case custom(@Sendable (String) -> String)

        func spelling(of key: String) -> String {
            switch self {
            case .asIs: key
            case .snakeCase: SnakeCase.snakeCased(key)
            case .kebabCase: SnakeCase.snakeCased(key, separator: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let spelling): spelling(key)
            }
        }
    }
}
