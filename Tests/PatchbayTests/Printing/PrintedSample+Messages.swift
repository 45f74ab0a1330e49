import Foundation
import Patchbay
import PatchbayCurl
import PatchbayMigration
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

extension PrintedSample {
    /// What goes over the wire, and its parts.
    static func messages() throws -> [PrintedSample] {
        let url = try #require(URL(string: url))
        let shownURL = "http://***@origin.test:8080/users/***?page=***&***#***"
        let shownFields =
            "[Content-Type: text/plain, Authorization: <11 bytes>, Cookie: <7 bytes>, X-Anything: <4 bytes>]"
        let request = RequestHead(method: "GET", url: url, fields: fields)
        let response = ResponseHead(status: 200, fields: fields, url: url, request: request)
        let linked: HeaderFields = ["Link": "<\(url.absoluteString)>; rel=next; title=hush"]
        let link = try #require(ResponseHead(status: 200, fields: linked, url: url, request: request).links.first)
        let bytes = Data(repeatElement("hush".utf8, count: 256).joined())
        let json = try #require(MediaType(parsing: "application/json; charset=utf-8"))
        var transport = TransportRequest(head: request, body: .data(bytes))
        let proxy = try ProxySettings("http://ada:\(secret)@proxy.example:3128")
        var connection = ConnectionSettings(proxy: proxy)
        connection.tls = TLSSettings(clientCertificate: certificate)
        transport.connection = connection
        let cookie = try Cookie("id", "hush", domain: "origin.test", path: "/a")
        let jar = CookieJar()
        jar.set(cookie)
        var form = MultipartFormData()
        form.append("hush", name: "hush")
        return [
            PrintedSample("HeaderFields", fields, shownFields),
            PrintedSample("HeaderFields", ["Accept": "a\u{1B}[2J"] as HeaderFields, "[Accept: <5 bytes>]"),
            PrintedSample("RequestHead", request, "GET \(shownURL) \(shownFields)"),
            PrintedSample("ResponseHead", response, "200 \(shownURL) \(shownFields)"),
            PrintedSample("ResponseBody", ResponseBody(bytes), "1,024 bytes"),
            PrintedSample("ResponseBody", ResponseBody(Data("h".utf8)), "1 byte"),
            PrintedSample("MediaType", json, "application/json;charset=utf-8"),
            PrintedSample("MediaType.Parameter", json.parameters[0], "charset=utf-8"),
            PrintedSample("ContentType", ContentType.mediaType(json), "application/json;charset=utf-8"),
            PrintedSample("ContentType", ContentType.missing, "no Content-Type"),
            PrintedSample("ContentType", ContentType.invalid, "an invalid Content-Type"),
            PrintedSample("MediaRange", try MediaRange("image/*"), "image/*"),
            PrintedSample("StatusSet", try StatusSet(notations: ["2XX", "404"]), "2XX, 404"),
            PrintedSample("StatusRange", try StatusRange("500-503"), "500-503"),
            PrintedSample("CanonicalHost", try #require(CanonicalHost(url: url)), "origin.test:8080"),
            PrintedSample("HostPattern", try HostPattern(pattern: "*.Example.com:8080"), "*.example.com:8080"),
            PrintedSample("EmptyValue", EmptyValue(), "no bytes"),
            PrintedSample("RequestBody", RequestBody.data(bytes), "1,024 bytes"),
            PrintedSample("TransportRequest", transport, "GET \(shownURL) \(shownFields), 1,024 bytes"),
            PrintedSample("RequestContent", RequestContent.value("hush"), "text/plain; charset=utf-8"),
            PrintedSample("QueryItems", ["user": "hush", "page": "hush"] as QueryItems, "[user, page]"),
            PrintedSample("Cookie", cookie, "cookie id of origin.test/a"),
            PrintedSample(
                "CookieNotice", CookieNotice(.unsent, name: "id", domain: "origin.test", reason: "the line is full"),
                "the cookie id of origin.test was not sent: the line is full"),
            PrintedSample("CookieJar", jar, "a jar of 1 cookie"),
            PrintedSample("MultipartFormData", form, "a form of 1 parts"),
            PrintedSample(
                "Throttle",
                Throttle(bytes: 16_384, delay: .milliseconds(200)),
                "16,384 bytes every 0.2 seconds"),
            PrintedSample(
                "Parameters", ["user": "hush", "tags": ["hush"]] as Parameters, "{user, tags}"),
            PrintedSample("Parameters", ["hush", "hush"] as Parameters, "[2 values]"),
            PrintedSample("Parameters", "hush" as Parameters, "a string"),
            PrintedSample("Parameters.Member", Parameters.Member("user", "hush"), "user"),
            PrintedSample(
                "StubReply", StubReply(fields: fields, body: bytes), "200 \(shownFields), 1,024 bytes"),
            PrintedSample("BearerScheme.Credential", credential, "a bearer token"),
            PrintedSample(
                "AuthenticationInterceptor", AuthenticationInterceptor(authenticator, credential: credential),
                "authentication by BearerScheme, with a credential"),
            PrintedSample("Link", link, "next: \(shownURL)"),
            PrintedSample("ClientCertificate", certificate, "client certificate ada.pem"),
            PrintedSample("TLSSettings", TLSSettings(clientCertificate: certificate), nil),
            PrintedSample("ConnectionSettings", connection, nil),
            PrintedSample("ProxySettings", proxy, "the proxy http://proxy.example:3128"),
            PrintedSample("CurlTransport", CurlTransport(), "transport on libcurl"),
            PrintedSample(
                "PublicKeyPin", try PublicKeyPin("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
                "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
        ]
    }

    private static let certificate = ClientCertificate(certificate: "ada.pem", key: "ada.key", passphrase: "hush")
    static let credential = BearerScheme.Credential(token: "hush", refreshToken: "hush")
    static let authenticator = BearerScheme { $0 }
}
