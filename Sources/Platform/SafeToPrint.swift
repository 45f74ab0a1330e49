/// An error of this package. Its description is safe to log: it contains no byte of a body, no header value and no
/// query.
///
/// For an error of any other type, only the type is shown, and the case if it is an enumeration. The description of
/// such an error is not used, because it can quote the body.
package protocol SafeToPrint: Error, CustomStringConvertible {}
