import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ResponseHead {
    static func fixture(
        _ status: Int = 200, fields: HeaderFields, url: String = "https://api.example.com/", method: String = "GET"
    ) -> ResponseHead? {
        URL(string: url).map {
            ResponseHead(status: status, fields: fields, url: $0, request: RequestHead(method: method, url: $0))
        }
    }
}
