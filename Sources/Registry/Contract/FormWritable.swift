/// A value that is names and values, in their order, where it is written as a form.
package protocol FormWritable: Encodable {
    /// Names and values, not escaped; a name may come more than once.
    var formPairs: [(name: String, value: String)] { get }
}
