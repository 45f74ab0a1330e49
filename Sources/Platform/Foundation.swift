// FoundationEssentials where it exists, as on Linux. It lacks parts that a program may not need otherwise, such as
// ICU's tables.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
