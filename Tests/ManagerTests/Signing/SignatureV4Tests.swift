import Foundation
import PatchbayManager
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// An example's signer against the vectors that AWS has published as `aws-sig-v4-test-suite`.
@Suite("AWS Signature Version 4", .timeLimit(.minutes(5))) struct SignatureV4Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        /// As the suite names it.
        let testDescription: String
        let request: SessionRequest
        let signedFields: String
        let signature: String

        init(
            _ name: String, _ method: String = "GET", _ target: String = "/", _ fields: HeaderFields = [:],
            content: RequestContent? = nil, signing names: String = "host;x-amz-date", signature: String
        ) {
            testDescription = name
            request = SessionRequest(target, method: method, content: content, headers: fields)
            (signedFields, self.signature) = (names, signature)
        }

        var authorization: String {
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(signedFields), Signature=\(signature)"
        }
    }

    private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let form = RequestContent.value(["Param1": "value1"], in: .form)

    static let vectors = [
        Vector("get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            "get-vanilla-query-order-key-case", "GET", "/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            "get-vanilla-empty-query-key", "GET", "/?Param1=value1",
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        Vector(
            "get-unreserved", "GET", "/" + unreserved,
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            "get-utf8", "GET", "/%E1%88%B4",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            "get-vanilla-utf8-query", "GET", "/?%E1%88%B4=bar",
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            "get-header-value-trim", "GET", "/", ["My-Header1": " value1", "My-Header2": " \"a   b   c\""],
            signing: "host;my-header1;my-header2;x-amz-date",
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            "get-header-key-duplicate", "GET", "/",
            HeaderFields([("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")]),
            signing: "host;my-header1;x-amz-date",
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Vector("post-vanilla", "POST", signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            "post-vanilla-query", "POST", "/?Param1=value1",
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        Vector(
            "post-header-key-sort", "POST", "/", ["My-Header1": "value1"], signing: "host;my-header1;x-amz-date",
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Vector(
            "post-header-value-case", "POST", "/", ["My-Header1": "VALUE1"], signing: "host;my-header1;x-amz-date",
            signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
        Vector(
            "post-x-www-form-urlencoded", "POST", content: form, signing: "content-type;host;x-amz-date",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Vector(
            "post-x-www-form-urlencoded-parameters", "POST", "/",
            ["Content-Type": "application/x-www-form-urlencoded; charset=utf8"],
            content: .data(Data("Param1=value1".utf8)), signing: "content-type;host;x-amz-date",
            signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    ]

    @Test("the signature that arrives is the published one", arguments: vectors)
    func vector(_ vector: Vector) async throws {
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            SignatureV4(
                keyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region: "us-east-1",
                service: "service", time: { "20150830T123600Z" })
        ]
        let (manager, stub) = try stubManager(
            TestRegistry.make(TestRegistry.formats), base: "https://example.amazonaws.com/",
            configuration: configuration
        ) { _ in .json("1") }
        _ = try await manager.send(vector.request)
        let sent = try #require(stub.requests.first)
        #expect(sent.head.fields.values(for: "Authorization") == [vector.authorization])
        #expect(sent.head.fields.values(for: "X-Amz-Date") == ["20150830T123600Z"])
        #expect(stub.requests.count == 1)
    }

    @Test(
        "the hash of the tests is that of FIPS 180-4",
        arguments: [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        ])
    func hash(_ count: Int, _ hex: String) {
        #expect(SHA256.hex(SHA256.hash(Data(repeating: UInt8(ascii: "a"), count: count))) == hex)
    }
}
