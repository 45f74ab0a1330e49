// FoundationEssentials where it exists, as on Linux. It lacks parts of Foundation that many programs do not need, such
// as ICU's tables.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
