import Foundation
import PatchbayManager
import PatchbayRegistry

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// The head of a request as Foundation wants it, or why Foundation cannot send it.
    init(_ request: TransportRequest) throws(TransportFailure) {
        let head = request.head
        guard let scheme = head.url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = head.url.host(), !host.isEmpty
        else { throw TransportFailure(.unsupportedRequest, "URLSession carries only http and https URLs with a host") }
        if request.body != nil, head.method == "GET" || head.method == "HEAD" {
            throw TransportFailure(.unsupportedRequest, "URLSession sends no body with a \(head.method) request")
        }
        guard FieldByte.isToken(head.method) else {
            throw TransportFailure(.unsupportedRequest, "the method is not one that can be sent")
        }
        for field in head.fields {
            guard FieldByte.isToken(field.name), !field.value.utf8.contains(where: { [0x00, 0x0A, 0x0D].contains($0) })
            else { throw TransportFailure(.unsupportedRequest, "a header field has a character that cannot be sent") }
        }
        self.init(url: try head.url.withoutUserInfo())
        httpMethod = head.method
        httpShouldHandleCookies = false
        #if canImport(FoundationNetworking)
            // libcurl takes a value of blanks for "do not send this field"; else it and Foundation would add their own.
            for name in ["Accept", "Accept-Language", "User-Agent"] { setValue(" ", forHTTPHeaderField: name) }
        #endif
        if request.mayPause { setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        var seen: Set<String> = []
        for field in head.fields where seen.insert(field.name.lowercased()).inserted {
            setValue(head.fields.values(for: field.name).joined(separator: ", "), forHTTPHeaderField: field.name)
        }
    }
}

extension URL {
    /// The same URL without a user and a password, which libcurl would turn into an `Authorization` field.
    fileprivate func withoutUserInfo() throws(TransportFailure) -> URL {
        guard user() != nil || password() != nil else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        guard let url = components?.url else {
            throw TransportFailure(.unsupportedRequest, "the URL cannot be written without its user and password")
        }
        return url
    }
}
