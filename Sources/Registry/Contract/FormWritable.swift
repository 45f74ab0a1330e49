/// A value that a form writes as names and values, in their order.
package protocol FormWritable: Encodable {
    /// Names and values without escapes. A name can occur several times.
    var formPairs: [(name: String, value: String)] { get }
}
