// One import for users: every public module of the package.
@_exported import PatchbayJSON
@_exported import PatchbayManager
@_exported import PatchbayPlugins
@_exported import PatchbayRegistry

#if os(Linux)
    @_exported import PatchbayCurl
#else
    @_exported import PatchbayURLSession
#endif
