/// How parameters become `name=value` pairs, in a query or a form body; the defaults are those of AFNetworking.
public struct FormRules: Sendable {
    /// In which order the pairs stand.
    public enum Order: Sendable {
        /// Members by their names (UTF-16 code units), in every object; elements of arrays in their order.
        case names
        /// The members of the outermost object by their names; the others as given.
        case outermostNames
        /// The finished pairs by their text, at every level, elements of arrays too.
        case pairs
        /// As given.
        case given
    }

    public var order = Order.names
    public var arrays = ArrayRule.brackets
    public var bools = BoolRule.numeric
    public var dates = DateRule.iso8601
    public var data = DataRule.base64
    public var keys = KeyRule.asIs
    public var members = MemberRule.brackets
    public var nulls = NullRule.nameOnly
    public var spaces = SpaceRule.percentEncoded

    public init() {}

    /// The defaults of Alamofire's encoder for `Encodable` forms.
    public static var alamofire: FormRules {
        var rules = FormRules()
        rules.order = .pairs
        rules.dates = .deferred
        rules.nulls = .dropped
        return rules
    }
}
