/// An error of ours. Its description may go to a log: it holds no byte of a body, no header value and no query.
///
/// Of every other error the type is shown, and the case of an enumeration. That its type has a text of its own does not help: the
/// text may quote the body.
package protocol SafeToPrint: Error, CustomStringConvertible {}
