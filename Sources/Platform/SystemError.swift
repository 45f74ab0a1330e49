package enum SystemError {
    package static var last: String { words(errno) }

    /// The system's text for one of its error codes; the number if there is no text.
    package static func words(_ code: Int32) -> String {
        // Not `strerror`, whose buffer can be shared by all threads. If the number is unknown, the text says so.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress else { return "error \(code)" }
            strerror_r(code, start, buffer.count - 1)
            return start.pointee == 0 ? "error \(code)" : String(cString: start)
        }
    }

    /// The system's text for the number of a system error; nil for an error of any other type.
    ///
    /// Only the number is used: other parts of such an error can quote anything. The type decides, not the domain,
    /// because an error of any type can claim any domain. Subclasses of `NSError` are system errors too: on Apple
    /// platforms the system itself makes errors of such types.
    package static func words(for error: any Error) -> String? {
        let type: any Error.Type = type(of: error)
        if type == POSIXError.self, let error = error as? POSIXError { return words(error.code.rawValue) }
        // A cast is not enough: on Linux an NSError of any domain can be cast to CocoaError.
        if type == CocoaError.self, let error = error as? CocoaError { return cocoa(error.code.rawValue) }
        guard isOfFoundation(type) else { return nil }
        switch error._domain {
        case "NSPOSIXErrorDomain": return Int32(exactly: error._code).map(words) ?? "error \(error._code)"
        case "NSCocoaErrorDomain": return cocoa(error._code)
        case "NSURLErrorDomain": return url(error._code)
        default: return nil
        }
    }

    #if canImport(FoundationEssentials)
        /// The types that only the full Foundation has, which is not imported here.
        private static let foundation: Set = ["Foundation.NSError", "Foundation.URLError"]

        /// Whether an error of this type, or of a class above it, has its number from Foundation.
        private static func isOfFoundation(_ type: any Error.Type) -> Bool {
            var next: Any.Type? = type
            while let type = next {
                if foundation.contains(String(reflecting: type)) { return true }
                next = (type as? AnyClass).flatMap { _getSuperclass($0) }
            }
            return false
        }

        /// If the program uses the full Foundation, most codes have a text, which the description has in quotes.
        private static func cocoa(_ code: Int) -> String {
            let error: any Error = CocoaError(CocoaError.Code(rawValue: code))
            let quoted = (error as? any CustomStringConvertible)?.description.split(separator: "\"") ?? []
            guard quoted.count > 1, quoted[1] != "(null)" else { return "NSCocoaErrorDomain error \(code)" }
            return String(quoted[1])
        }

        private static func url(_ code: Int) -> String { "NSURLErrorDomain error \(code)" }
    #else
        private static func isOfFoundation(_ type: any Error.Type) -> Bool {
            type is NSError.Type || type == URLError.self
        }

        private static func cocoa(_ code: Int) -> String {
            NSError(domain: NSCocoaErrorDomain, code: code).localizedDescription
        }

        private static func url(_ code: Int) -> String {
            NSError(domain: NSURLErrorDomain, code: code).localizedDescription
        }
    #endif
}
