package enum SystemError {
    package static var last: String { words(errno) }

    /// The system's text for one of its error codes; the number if there is no text.
    package static func words(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    /// The system's text for the number of a system error; nil for an error of any other type.
    ///
    /// Only the number is used: other parts of such an error can quote anything. The type decides, not the domain,
    /// because an error of any type can claim any domain.
    package static func words(for error: any Error) -> String? {
        let type: any Error.Type = type(of: error)
        if type == POSIXError.self, let error = error as? POSIXError { return words(error.code.rawValue) }
        // A cast is not enough: on Linux an NSError of any domain can be cast to CocoaError.
        if type == CocoaError.self, let error = error as? CocoaError { return cocoa(error.code.rawValue) }
        guard foundation.contains(String(reflecting: type)) else { return nil }
        switch error._domain {
        case "NSPOSIXErrorDomain": return Int32(exactly: error._code).map(words) ?? "error \(error._code)"
        case "NSCocoaErrorDomain": return cocoa(error._code)
        case "NSURLErrorDomain": return url(error._code)
        default: return nil
        }
    }

    /// The types that only the full Foundation has, which is not imported on Linux.
    private static let foundation: Set = ["Foundation.NSError", "Foundation.URLError", "__C.NSError"]

    #if canImport(FoundationEssentials)
        /// If the program uses the full Foundation, most codes have a text, which the description has in quotes.
        private static func cocoa(_ code: Int) -> String {
            let error: any Error = CocoaError(CocoaError.Code(rawValue: code))
            let quoted = (error as? any CustomStringConvertible)?.description.split(separator: "\"") ?? []
            guard quoted.count > 1, quoted[1] != "(null)" else { return "NSCocoaErrorDomain error \(code)" }
            return String(quoted[1])
        }

        private static func url(_ code: Int) -> String { "NSURLErrorDomain error \(code)" }
    #else
        private static func cocoa(_ code: Int) -> String {
            NSError(domain: NSCocoaErrorDomain, code: code).localizedDescription
        }

        private static func url(_ code: Int) -> String {
            NSError(domain: NSURLErrorDomain, code: code).localizedDescription
        }
    #endif
}
