// Foundation by the smaller of its two names: on Linux without what a program may have no other use for, such as ICU's tables.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
