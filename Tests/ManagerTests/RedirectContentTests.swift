import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

/// What becomes of the fields that describe the content of a request, when a redirect drops the content.
@Suite(.timeLimit(.minutes(5))) struct RedirectContentTests {
    /// Fields that describe the content of a request.
    private static let contentFields: HeaderFields = [
        "Content-Encoding": "gzip", "content-language": "de", "Content-Location": "/a", "CONTENT-MD5": "x",
        "Content-Digest": "sha-256=:YQ==:", "Repr-Digest": "sha-256=:YQ==:", "digest": "sha-256=YQ==",
        "Content-Disposition": "inline", "Content-Range": "bytes 0-3/4", "Content-Own": "1", "Expect": "100-continue",
        "Trailer": "X-Sum", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    /// Fields that only look as if they did.
    private static let otherFields: HeaderFields = [
        "Want-Content-Digest": "sha-256=1", "X-Content-Sha": "1", "Content": "1", "Contents-Of": "1",
        "Accept-Language": "de",
        "If-Match": "\"a\"",
    ]

    @Test(
        "a redirect to GET drops every field that describes the content, and no other (RFC 9110, section 15.4)",
        arguments: [
            (301, "POST", false), (302, "POST", false), (303, "POST", false), (303, "PUT", false),
            (303, "DELETE", false), (307, "POST", true), (308, "PUT", true), (301, "PUT", true),
        ])
    func contentFields(_ status: Int, _ method: String, _ stay: Bool) async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(status, to: "/end")
        }
        var request = SessionRequest("start", method: method, body: "body", headers: Self.contentFields)
        for field in Self.otherFields { request.headers.append(field.value, for: field.name) }
        _ = try await manager.send(request)
        let last = try #require(stub.requests.last).head.fields
        #expect(stub.requests.count == 2)
        for field in Self.contentFields { #expect(last[field.name] == (stay ? field.value : nil), "\(field.name)") }
        #expect((last["Content-Type"] != nil) == stay)
        for field in Self.otherFields { #expect(last[field.name] == field.value, "\(field.name)") }
    }

    @Test(
        "1.12.1: the fields that describe the content go with it, come back with it, and are the handler's where it sets them",
        arguments: [
            ("POST", 302, "POST", true, true), ("POST", 302, "PUT", false, true), ("POST", 307, "GET", false, true),
            ("POST", 307, "PUT", true, true), ("PUT", 303, "PUT", true, true), ("POST", 302, "POST", true, false),
        ] as [(String, Int, String, Bool, Bool)])
    func contentFields(
        _ method: String, _ status: Int, _ set: String, _ isSent: Bool, _ staysAtOrigin: Bool
    ) async throws {
        let end = staysAtOrigin ? "/end" : "http://other.test/end"
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(status, to: end)
        }
        var request = SessionRequest("start", method: method, body: "x", headers: Self.contentFields)
        request.headers.append("en", for: "Content-Language")
        request.redirects = RedirectHandler { next, _ in
            next.method = set
            next.fields["Content-Own"] = "2"
            return true
        }
        _ = try await manager.send(request)
        let last = try #require(stub.requests.last)
        #expect(last.body?.data == (isSent ? Data("x".utf8) : nil))
        #expect(last.head.fields.values(for: "Content-Own") == ["2"])
        #expect(last.head.fields.values(for: "Content-Language") == (isSent ? ["de", "en"] : []))
        for field in Self.contentFields where !["Content-Own", "content-language"].contains(field.name) {
            #expect(last.head.fields[field.name] == (isSent ? field.value : nil), "\(field.name)")
        }
        #expect((last.head.fields["Content-Type"] != nil) == isSent)
    }

    @Test("1.12.1: a credential among the fields of the content does not come back with it at another origin")
    func contentCredential() async throws {
        var configuration = SessionConfiguration()
        configuration.credentialFields.append("Content-Signature")
        var seen: [String?] = []
        for end in ["/end", "http://other.test/end"] {
            let (manager, stub) = try stubManager(configuration: configuration) { request in
                request.head.url.path() == "/end" ? .json("1") : .redirect(302, to: end)
            }
            var request = SessionRequest("start", body: "x", headers: ["Content-Signature": "s"])
            request.redirects = RedirectHandler { next, _ in
                next.method = "POST"
                return true
            }
            _ = try await manager.send(request)
            seen.append(stub.requests.last?.head.fields["Content-Signature"])
        }
        #expect(seen == ["s", nil])
    }
}
