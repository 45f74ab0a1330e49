/// The name that the package gives itself (RFC 9110, section 10.1.5), in ASCII.
package enum UserAgent {
    package static let version = "0.1.0"
    package static let value = "Patchbay/\(version) (\(platform))"

    #if os(Linux)
        private static let platform = "Linux"
    #elseif os(macOS)
        private static let platform = "macOS"
    #elseif os(iOS)
        private static let platform = "iOS"
    #elseif os(tvOS)
        private static let platform = "tvOS"
    #elseif os(watchOS)
        private static let platform = "watchOS"
    #elseif os(visionOS)
        private static let platform = "visionOS"
    #else
        private static let platform = "other"
    #endif
}
