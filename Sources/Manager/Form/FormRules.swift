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

    /// In which order the pairs stand.
    public var order = Order.names
    /// How the elements of an array are named.
    public var arrays = ArrayRule.brackets
    /// What true and false are written as.
    public var bools = BoolRule.numeric
    /// How dates are written.
    public var dates = DateRule.iso8601
    /// How bytes are written.
    public var data = DataRule.base64
    /// How the keys of `Encodable` types are spelt.
    public var keys = KeyRule.asIs
    /// How the members of an object inside another are named.
    public var members = MemberRule.brackets
    /// What becomes of null, and of an optional of an `Encodable` type that is nil.
    public var nulls = NullRule.nameOnly
    /// What a space is written as.
    public var spaces = SpaceRule.percentEncoded
    /// What is not percent-encoded in names and values. Only ASCII counts, and a space is for `spaces`; with `&`, `=`, `+` or `%` in it
    /// names and values do not always come apart again.
    public var allowedCharacters: Set<Character> {
        get { allowed.characters }
        set { allowed = ASCIISet(newValue) }
    }
    var allowed = ASCIISet.unreserved

    /// The rules of AFNetworking.
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
