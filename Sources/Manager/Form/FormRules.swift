/// How parameters become `name=value` pairs, in a query or a form body; the defaults are those of AFNetworking.
public struct FormRules: Sendable {
    /// In which order the pairs stand.
    public enum Order: Sendable {
        /// Members by their names (UTF-16 code units), in every object; elements of arrays in their order.
        case names
        /// The members of the outermost object by their names, as Swift orders strings; the others as given.
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
    /// What becomes of null, and of an optional of an `Encodable` type that is nil.
    public var nulls = NullRule.nameOnly
    public var spaces = SpaceRule.percentEncoded
    /// What is not percent-encoded in names and values. Only ASCII counts, and a space is for `spaces`; with `&`, `=`, `+` or `%` in it
    /// names and values do not always come apart again.
    public var allowedCharacters: Set<Character> {
        get { allowed.characters }
        set { allowed = ASCIISet(newValue) }
    }
    var allowed = ASCIISet.unreserved

    public init() {}

    /// The defaults of Alamofire's encoder for `Encodable` forms: pairs are sorted, the elements of an array among them.
    public static var alamofire: FormRules {
        var rules = FormRules()
        rules.order = .pairs
        rules.dates = .deferred
        rules.nulls = .dropped
        return rules
    }
}
