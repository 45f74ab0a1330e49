/// An error of this package. Its description is safe to log: it has no byte of a body, no header value and no query.
///
/// Of every other error only the type is shown, and the case of an enumeration. The description of such an error is not
/// used, because it can quote the body.
package protocol SafeToPrint: Error, CustomStringConvertible {}
