package import PatchbayRegistry

/// Keeps the bytes of a body: its entry takes responses from the entries after it, so that nothing decodes them.
package struct RawSerializer: BytesSerializer {
    package init() {}

    package func serialize(_ body: ResponseBody, _ head: ResponseHead) -> ResponseBody { body }
}
