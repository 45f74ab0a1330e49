/// An error of this package. Its description may go to a log: it has no byte of a body, no header value and no query.
///
/// Of every other error only the type is shown, and the case of an enumeration. Its own description is not used,
/// because it may quote the body.
package protocol SafeToPrint: Error, CustomStringConvertible {}
