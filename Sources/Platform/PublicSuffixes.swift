/// The public suffix list (publicsuffix.org) of libpsl: the domains below which anybody can register a name, such as
/// `com`, `co.uk` and `github.io`.
///
/// libpsl is loaded at its first use, and never linked. Where it is missing, every domain of one label is a suffix, and
/// no other domain is.
package enum PublicSuffixes {
    #if canImport(Darwin)
        private static let libraryName = "libpsl.5.dylib"
    #else
        private static let libraryName = "libpsl.so.5"
    #endif

    /// The list; nil before it is loaded. A failure from a lack of files or memory can be temporary, so every call tries
    /// again.
    private static let list = Guarded<List?>(nil)

    /// Whether a cookie of the domain would also go to hosts of strangers.
    /// - Parameters:
    ///   - domain: the domain in canonical form. It is the host, or the host is below it.
    ///   - host: a host in canonical form, not an address.
    package static func shares(_ domain: String, of host: String) -> Bool {
        shares(domain, of: host, by: loadedList)
    }

    /// The rule without a list, for tests.
    package static func sharesWithoutList(_ domain: String, of host: String) -> Bool {
        shares(domain, of: host, by: nil)
    }

    private static func shares(_ domain: String, of host: String, by list: List?) -> Bool {
        guard let list else { return !domain.utf8.contains(UInt8(ascii: ".")) }
        // libpsl accepts a domain that is the host, whatever it is.
        return list.isSuffix(list.list, domain) != 0 || list.isAcceptable(list.list, host, domain) == 0
    }

    /// Loads the list under the lock, so that two threads don't load it at once. libpsl calls nothing back.
    private static var loadedList: List? {
        list.withLock { list in
            if list == nil { list = List(libraryName) }
            return list
        }
    }

    /// `@unchecked Sendable`: libpsl only reads the list after it was loaded, and the list is never freed.
    private struct List: @unchecked Sendable {
        let list: OpaquePointer
        let isSuffix: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> CInt
        let isAcceptable: @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt

        /// Nil if there is no such library, or no memory.
        init?(_ name: String) {
            guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { return nil }
            guard let latest = dlsym(library, "psl_latest"), let isSuffix = dlsym(library, "psl_is_public_suffix"),
                let isAcceptable = dlsym(library, "psl_is_cookie_domain_acceptable"),
                // The file of the system, or the list inside the library if that is newer.
                let list = unsafeBitCast(
                    latest, to: (@convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?).self)(nil)
            else {
                dlclose(library)
                return nil
            }
            self.list = list
            // The types are those of libpsl.h.
            self.isSuffix = unsafeBitCast(
                isSuffix, to: (@convention(c) (OpaquePointer, UnsafePointer<CChar>) -> CInt).self)
            self.isAcceptable = unsafeBitCast(
                isAcceptable,
                to: (@convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt).self)
        }
    }
}
